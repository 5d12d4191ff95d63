// What a point of a figure stands for: by mouse, by touch, and by the arrow keys. Text goes in as
// text alone.
(function () {
  /** Parts that positions are given in, and how far from a point one may be, in CSS pixels. */
  const PARTS = 10000, NEAR = { mouse: 12, pen: 16, touch: 28 };
  const box = made('div', '', { class: 'tip', 'aria-hidden': 'true' });
  const mark = made('div', '', { class: 'tip-mark', 'aria-hidden': 'true' });
  const said = made('p', '', { class: 'unseen', role: 'status' });
  /** The sheet whose point is shown. */
  let shownOn = null;

  /** All points of a figure: place and size in points of the drawing, and [name, value] pairs. */
  function pointsOf(plate) {
    const { points, size: [width, height] } = about(plate);
    return points.flatMap(([columns, rows]) => rows.map(([x, y, wide, high, ...values]) => ({
      x: x / PARTS * width, y: y / PARTS * height,
      width: wide / PARTS * width, height: high / PARTS * height,
      facts: columns.map((name, k) => [name, values[k]]).filter(([, value]) => value !== null),
    })));
  }

  function text(value) {
    if (typeof value !== 'number') return String(value);
    const short = Number.isInteger(value) ? value.toLocaleString('en')
      : String(Number(value.toPrecision(3)));
    return short.replace('-', '\u2212');
  }

  /** From points of the drawing to CSS pixels of the window, for the part that is drawn in it. */
  function matrixOf(plate, drawing) {
    if (drawing.getScreenCTM) return drawing.getScreenCTM();
    const { left, top, width } = drawing.getBoundingClientRect();
    const scale = width / about(plate).size[0];
    return new DOMMatrix([scale, 0, 0, scale, left, top]);
  }

  function hide() {
    box.remove();
    mark.remove();
    said.textContent = '';
    shownOn = null;
  }

  /** Show what a point stands for beside it; for those who walk through the points, say it too and
   * bring it into view. */
  function show(plate, sheet, point, aloud) {
    const drawing = sheet.querySelector('svg, img');
    const matrix = matrixOf(plate, drawing), around = drawing.parentElement;
    const left = matrix.e + matrix.a * point.x, top = matrix.f + matrix.d * point.y;
    const origin = around.getBoundingClientRect(), pad = point.width ? 0 : 5;
    Object.assign(mark.style, {
      left: left - origin.left + around.scrollLeft - pad + 'px', top: top - origin.top - pad + 'px',
      width: matrix.a * point.width + 2 * pad + 'px',
      height: matrix.d * point.height + 2 * pad + 'px',
    });
    mark.classList.toggle('round', !point.width);
    around.append(mark);
    if (aloud) mark.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
    const list = made('dl');
    for (const [name, value] of point.facts) list.append(made('dt', name), made('dd', text(value)));
    box.replaceChildren(list);
    document.body.append(box);
    shownOn = sheet;
    place(mark.getBoundingClientRect());
    if (aloud) said.textContent = point.facts.map(([name, value]) => name + ' ' + text(value)).join(', ');
  }

  /** Put the box above a mark or, where there is no space, below it, within the window. */
  function place({ left, width, top, bottom }) {
    box.style.left = 0; // so that it is as wide as it may be when it is measured
    const { offsetWidth: wide, offsetHeight: high } = box;
    const { clientWidth, clientHeight } = document.documentElement;
    const within = (position, size) => Math.max(4, Math.min(size - 4, position));
    const above = top - high - 6, fits = above > menuBottom() + 4;
    box.style.left = within(left + width / 2 - wide / 2, clientWidth - wide) + scrollX + 'px';
    box.style.top = (fits ? above : within(bottom + 6, clientHeight - high)) + scrollY + 'px';
  }

  /** Where the menu ends, if it is a line at the top of the window. */
  function menuBottom() {
    const { top, bottom, width } = document.querySelector('nav').getBoundingClientRect();
    return width > innerWidth / 2 && top <= 0 ? bottom : 0;
  }

  /** The point nearest to where a pointer is, if it is near. */
  function nearest(plate, points, event) {
    const drawing = event.target.closest('svg, img');
    if (!drawing) return null;
    const matrix = matrixOf(plate, drawing);
    const x = (event.clientX - matrix.e) / matrix.a, y = (event.clientY - matrix.f) / matrix.d;
    let best = null, least = NEAR[event.pointerType] / matrix.a;
    points.forEach((point) => {
      const aside = Math.max(point.x - x, 0, x - point.x - point.width);
      const over = Math.max(point.y - y, 0, y - point.y - point.height);
      const distance = Math.hypot(aside, over);
      if (distance < least) [best, least] = [point, distance];
    });
    return best;
  }

  function prepare(plate) {
    const sheet = plate.querySelector('.sheet'), number = plate.querySelector('.card').ariaLabel;
    let points = null, at = -1;
    const load = () => { points = points || pointsOf(plate); };
    sheet.tabIndex = 0;
    sheet.setAttribute('role', 'application');
    sheet.setAttribute('aria-label', 'Points of ' + number + ', to walk through with the arrow keys');

    function point(event) {
      load();
      const found = nearest(plate, points, event);
      if (!found) return hide();
      at = points.indexOf(found);
      return show(plate, sheet, found, false);
    }

    function walk(to) {
      load();
      at = Math.max(0, Math.min(points.length - 1, to));
      show(plate, sheet, points[at], true);
    }

    // A finger that moves scrolls the page; one that was lifted where it came down asks.
    for (const event of ['pointermove', 'pointerdown', 'pointerup']) {
      sheet.addEventListener(event, (given) => {
        if ((given.pointerType === 'touch') === (event === 'pointerup')) point(given);
      });
    }
    sheet.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse' && document.activeElement !== sheet) hide();
    });
    sheet.addEventListener('focus', () => { if (sheet.matches(':focus-visible')) walk(at); });
    // A tap shows its point before the focus comes: from another figure, or to a panel of this one.
    sheet.addEventListener('focusout', ({ relatedTarget }) => {
      if (shownOn === sheet && !sheet.contains(relatedTarget)) hide();
    });
    sheet.addEventListener('keydown', (event) => {
      if (event.target !== sheet) return;
      const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1,
        Home: 0, End: Infinity }[event.key];
      if (event.key === 'Escape') hide();
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      walk(to);
    });
  }

  document.body.append(said);
  all('.plate').filter((plate) => about(plate).points).forEach(prepare);
  document.addEventListener('pointerdown', (event) => {
    if (!event.target.closest('.sheet')) hide();
  });
  document.addEventListener('keydown', (event) => { if (event.key === 'Escape') hide(); });
  addEventListener('resize', hide);
}());
