// What helps to read the page: a menu that shows where one is, boxes that take the focus only
// where they scroll, tables to sort, and panels that are stacked on a phone. The page is whole
// without it.

const NARROW = matchMedia('screen and (max-width: 37.5rem)');

/** All elements that a selector finds. */
function all(selector, within = document) {
  return [...within.querySelectorAll(selector)];
}

/** A new element with text and attributes. */
function made(tag, text = '', attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** A new button that does something. */
function button(text, act, attributes = {}) {
  const element = made('button', text, { type: 'button', ...attributes });
  element.addEventListener('click', () => act(element));
  return element;
}

/** Let the buttons in a box be one stop of the focus; the arrow keys lead from each to the next. */
function rove(box, buttons) {
  const stop = (at) => buttons.forEach((each, k) => { each.tabIndex = k === at ? 0 : -1; });
  stop(0);
  box.addEventListener('focusin', ({ target }) => {
    if (buttons.includes(target)) stop(buttons.indexOf(target));
  });
  box.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !buttons.includes(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const n = buttons.length;
    buttons[(buttons.indexOf(event.target) + step + n) % n].focus();
  });
}

const known = new WeakMap();
/** What the page knows of a figure: its size, panels and points; see _pictures.py. */
function about(plate) {
  if (!known.has(plate)) {
    const script = plate.querySelector('script[type="application/json"]');
    known.set(plate, JSON.parse(script.textContent));
  }
  return known.get(plate);
}

// The menu.
(function () {
  const menu = document.querySelector('.menu'), here = menu.querySelector('.here');
  const links = all('a', menu);
  const sections = links.map((link) => document.querySelector(link.getAttribute('href')));
  let waiting = false;

  function mark() {
    waiting = false;
    const line = innerHeight / 4, { scrollHeight } = document.documentElement;
    const atEnd = scrollY > 0 && scrollY + innerHeight >= scrollHeight - 2;
    const passed = sections.filter((section) => section.getBoundingClientRect().top <= line);
    const current = atEnd ? sections.length - 1 : Math.max(0, passed.length - 1);
    if (links[current].getAttribute('aria-current')) return;
    links.forEach((link, k) => {
      if (k === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
    here.textContent = ': ' + links[current].textContent;
  }

  function fold() {
    menu.open = !NARROW.matches;
  }

  for (const event of ['scroll', 'resize']) {
    addEventListener(event, () => {
      if (!waiting) requestAnimationFrame(mark);
      waiting = true;
    }, { passive: true });
  }
  menu.addEventListener('click', (event) => { if (event.target.closest('a')) fold(); });
  NARROW.addEventListener('change', fold);
  fold();
  mark();
}());

// Boxes that scroll are regions to stop at; others are not.
const scrolling = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth + 1
      || target.scrollHeight > target.clientHeight + 1;
    const stop = scrolls && !target.querySelector('[tabindex="0"]');
    target.setAttribute('role', stop ? 'region' : 'group');
    if (stop) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
    target.classList.toggle('scrolls', scrolls);
  }
});
all('.card, .table, pre').forEach((box) => scrolling.observe(box));

// Tables whose rows can be sorted.
(function () {
  /** The text of a cell before it was set in print. */
  const raw = (cell) => cell.dataset.value ?? cell.textContent.trim();
  /** The number that a cell begins with, or NaN. */
  const amount = (text) => parseFloat(text.replace(/^[^\d+\-.]*/, '').replaceAll(',', ''));

  function compare(column) {
    return (first, second) => {
      const texts = [first, second].map((row) => raw(row.cells[column]));
      const numbers = texts.map(amount);
      return numbers.some(Number.isNaN)
        ? texts[0].localeCompare(texts[1], 'en', { numeric: true }) : numbers[0] - numbers[1];
    };
  }

  function sort(table, original, column, header) {
    const next = { none: 'descending', descending: 'ascending', ascending: 'none' };
    const direction = next[header.getAttribute('aria-sort')];
    for (const each of table.tHead.rows[0].cells) each.setAttribute('aria-sort', 'none');
    header.setAttribute('aria-sort', direction);
    const rows = [...original], isMissing = (row) => raw(row.cells[column]) === '-';
    if (direction !== 'none') {
      const order = compare(column), sign = direction === 'ascending' ? 1 : -1;
      // What is missing comes last, either way.
      rows.sort((a, b) => isMissing(a) - isMissing(b) || sign * order(a, b));
    }
    table.tBodies[0].append(...rows);
  }

  for (const table of all('[data-sortable] table')) {
    const original = [...table.tBodies[0].rows];
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const name = header.textContent;
      header.setAttribute('aria-sort', 'none');
      header.replaceChildren(button(name, () => sort(table, original, column, header)));
    });
  }
}());

// On a phone, panels of a figure are stacked: each is a window onto the same drawing.
(function () {
  /** Width of a phone's screen, in points of a figure; panels up to WIDE times that are shrunk. */
  const COLUMN = 250, WIDE = 1.6;

  /** A window onto a part of a drawing: the drawing itself for the first, references after it. */
  function onto(drawing, [left, top, width, height], label) {
    const share = width / COLUMN, crop = made('div', '', { class: 'crop' });
    drawing.setAttribute('viewBox', [left, top, width, height].join(' '));
    drawing.style.width = 100 * Math.max(Math.min(1, share), share / WIDE) + '%';
    crop.append(drawing);
    if (share <= WIDE) return crop;
    crop.classList.add('wide');
    crop.tabIndex = 0;
    crop.setAttribute('role', 'group');
    crop.setAttribute('aria-label', label + ', a panel that scrolls');
    return crop;
  }

  function reference(drawing, named) {
    const space = 'http://www.w3.org/2000/svg', other = document.createElementNS(space, 'svg');
    const use = document.createElementNS(space, 'use');
    use.setAttribute('href', '#' + named.id);
    other.setAttribute('aria-hidden', 'true');
    other.setAttribute('style', drawing.dataset.style);
    other.append(use);
    return other;
  }

  function stack(plate) {
    const sheet = plate.querySelector('.sheet'), drawing = sheet.querySelector('svg');
    const named = drawing && drawing.querySelector('g[id]'), { panels } = about(plate);
    if (!named || panels.length < 2) return;
    drawing.dataset.whole = drawing.getAttribute('viewBox');
    drawing.dataset.style = drawing.getAttribute('style') || '';
    const label = sheet.parentElement.getAttribute('aria-label');
    sheet.replaceChildren(...panels.map((panel, k) =>
      onto(k ? reference(drawing, named) : drawing, panel, label)));
    sheet.classList.add('stacked');
  }

  function restore(plate) {
    const sheet = plate.querySelector('.sheet'), drawing = sheet.querySelector('svg');
    if (!sheet.classList.contains('stacked')) return;
    drawing.setAttribute('viewBox', drawing.dataset.whole);
    drawing.setAttribute('style', drawing.dataset.style);
    sheet.replaceChildren(drawing);
    sheet.classList.remove('stacked');
  }

  const arrange = () => all('.plate').forEach(NARROW.matches ? stack : restore);
  NARROW.addEventListener('change', arrange);
  arrange();
}());

// What is folded away is printed too.
addEventListener('beforeprint', () => {
  for (const folded of all('details:not([open], .code)')) {
    folded.open = true;
    addEventListener('afterprint', () => { folded.open = false; }, { once: true });
  }
});
