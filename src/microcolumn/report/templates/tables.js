// Boxes that scroll take the focus, others do not; and tables can be sorted.
const scrolling = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const sideways = target.scrollWidth > target.clientWidth;
    const scrolls = sideways || target.scrollHeight > target.clientHeight;
    // What takes the focus inside a box is enough: from there, the keys scroll it.
    const stop = scrolls && !target.querySelector('[tabindex="0"]');
    target.setAttribute('role', stop ? 'region' : 'group');
    if (stop) target.tabIndex = 0;
    else target.removeAttribute('tabindex');
    target.classList.toggle('sideways', sideways);
  }
});
all('.card, .table, pre').forEach((box) => scrolling.observe(box));

(function () {
  const NUMBER = /^[<>≤≥\s]*[+-]?\.?\d/;
  /** The text of a cell before it was set in print. */
  const raw = (cell) => cell.dataset.value ?? cell.textContent.trim();
  const isMissing = (cell) => raw(cell) === '-';
  /** The number that a cell begins with; -Infinity for words among numbers. */
  const amount = (cell) => NUMBER.test(raw(cell))
    ? parseFloat(raw(cell).replace(/^[<>≤≥\s]*/, '').replaceAll(',', '')) : -Infinity;

  /** The order of two cells of a column: of numbers, or of words with numbers in them. */
  function orderOf(cells) {
    const numbers = !cells[0].classList.contains('words')
      || cells.every((cell) => isMissing(cell) || NUMBER.test(raw(cell)));
    return numbers ? (a, b) => amount(a) - amount(b)
      : (a, b) => raw(a).localeCompare(raw(b), 'en', { numeric: true });
  }

  function sort(table, original, column, header) {
    const next = { none: 'descending', descending: 'ascending', ascending: 'none' };
    const direction = next[header.getAttribute('aria-sort')], rows = [...original];
    for (const each of table.tHead.rows[0].cells) each.setAttribute('aria-sort', 'none');
    header.setAttribute('aria-sort', direction);
    if (direction !== 'none') {
      const sign = direction === 'ascending' ? 1 : -1, cell = (row) => row.cells[column];
      const order = orderOf(rows.map(cell));
      // What is missing comes last, either way.
      rows.sort((a, b) => isMissing(cell(a)) - isMissing(cell(b)) || sign * order(cell(a), cell(b)));
    }
    table.tBodies[0].append(...rows);
    table.parentElement.scrollTop = 0;
  }

  for (const table of all('[data-sortable] table')) {
    const original = [...table.tBodies[0].rows], head = table.tHead;
    [...head.rows[0].cells].forEach((header, column) => {
      const name = header.textContent;
      header.setAttribute('aria-sort', 'none');
      header.replaceChildren(button(name, () => sort(table, original, column, header)));
    });
    rove(head, all('button', head));
  }
}());
