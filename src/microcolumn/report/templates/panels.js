// On a phone, panels of a figure are stacked: each is a window onto the same drawing.
(function () {
  const NARROW = matchMedia('screen and (max-width: 37.5rem)');
  /** Width of a phone's screen, in points of a figure; panels up to WIDE times that are shrunk to
   * it, wider ones scroll. */
  const COLUMN = 250, WIDE = 1.15;

  /** A window onto a part of a drawing: the drawing itself for the first, references after it. */
  function onto(drawing, [left, top, width, height], label) {
    const share = width / COLUMN, crop = made('div', '', { class: 'crop' });
    drawing.setAttribute('viewBox', [left, top, width, height].join(' '));
    drawing.style.width = 100 * (share > WIDE ? share : Math.min(1, share)) + '%';
    drawing.style.aspectRatio = width + ' / ' + height; // the first has that of the whole drawing
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
  // Before the pages are counted, or those that stacked panels would fill come out empty.
  addEventListener('beforeprint', () => all('.plate').forEach(restore));
  addEventListener('afterprint', arrange);
  arrange();
}());

// What is folded away is printed too.
addEventListener('beforeprint', () => {
  for (const folded of all('details:not([open], .code)')) {
    folded.open = true;
    addEventListener('afterprint', () => { folded.open = false; }, { once: true });
  }
});
