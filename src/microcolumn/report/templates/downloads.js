// Ways out of the page: figures as SVG, PNG and CSV, tables as CSV, code to copy. Files are made
// here from what the page holds; nothing is sent anywhere.
(function () {
  /** Width of a PNG: pixels per point of the figure, 300 to the inch. */
  const SCALE = 300 / 72;

  function save(blob, name) {
    const link = made('a', '', { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  /** The whole drawing as a file of its own, with title and caption. */
  function svgText(plate) {
    const drawing = plate.querySelector('.sheet svg').cloneNode(true);
    const { size: [width, height] } = about(plate), space = 'http://www.w3.org/2000/svg';
    if (drawing.dataset.whole) {
      drawing.setAttribute('viewBox', drawing.dataset.whole);
      drawing.setAttribute('style', drawing.dataset.style);
      for (const name of ['whole', 'style']) delete drawing.dataset[name];
    }
    drawing.setAttribute('width', width + 'pt');
    drawing.setAttribute('height', height + 'pt');
    const [title, caption] = ['title', 'desc'].map((tag) => document.createElementNS(space, tag));
    title.textContent = plate.querySelector('figcaption b').textContent;
    caption.textContent = plate.querySelector('figcaption').textContent;
    drawing.prepend(title, caption);
    return new XMLSerializer().serializeToString(drawing);
  }

  async function savePng(plate) {
    const { size: [width, height] } = about(plate), picture = plate.querySelector('.sheet img');
    const image = new Image(), canvas = made('canvas');
    image.src = picture ? picture.src
      : 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(svgText(plate));
    await image.decode();
    Object.assign(canvas, { width: Math.round(width * SCALE), height: Math.round(height * SCALE) });
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, plate.id + '.png'));
  }

  /** A cell of a CSV file; a text that a spreadsheet would take for a formula is quoted. */
  function cell(value) {
    const text = value === null || value === undefined ? '' : String(value);
    const isNumber = text === '-' || /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
    const safe = /^[=+\-@\t\r]/.test(text) && !isNumber ? "'" + text : text;
    return /[",\r\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  }

  function saveCsv(rows, name) {
    const lines = rows.map((row) => row.map(cell).join(',') + '\r\n');
    save(new Blob(lines, { type: 'text/csv;charset=utf-8' }), name + '.csv');
  }

  /** The points of a figure: a column for whatever is known of any of them. */
  function pointRows(plate) {
    const { points } = about(plate), names = [...new Set(points.flatMap(([columns]) => columns))];
    const valueOf = (columns, [, , , , ...values]) => (name) => values[columns.indexOf(name)] ?? null;
    return [names, ...points.flatMap(([columns, rows]) =>
      rows.map((row) => names.map(valueOf(columns, row))))];
  }

  function tableRows(table) {
    return [...table.rows].map((row) =>
      [...row.cells].map((each) => each.dataset.value ?? each.textContent.trim()));
  }

  /** Letters and digits of a text, for the name of a file. */
  function plain(text) {
    return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60);
  }

  async function copy(source, pressed) {
    const before = pressed.textContent;
    try {
      await navigator.clipboard.writeText(source.textContent.trim() + '\n');
    } catch { // where a browser keeps the clipboard from files, select what is to be copied
      getSelection().selectAllChildren(source);
      pressed.textContent = 'Selected: press Ctrl+C';
      return;
    }
    pressed.textContent = 'Copied';
    setTimeout(() => { pressed.textContent = before; }, 2000);
  }

  for (const plate of all('.plate')) {
    const { points, total } = about(plate), bar = plate.querySelector('.takeaway');
    const name = plate.querySelector('.card').ariaLabel, buttons = [];
    const add = (text, act) =>
      buttons.push(button(text, act, { 'aria-label': text + ' of ' + name }));
    if (plate.querySelector('.sheet svg')) {
      add('SVG', () => save(new Blob([svgText(plate)], { type: 'image/svg+xml' }), plate.id + '.svg'));
    }
    add('PNG', () => savePng(plate));
    if (points) {
      const n = points.reduce((sum, [, rows]) => sum + rows.length, 0);
      const some = n < total ? ' (' + n.toLocaleString('en') + ' of '
        + total.toLocaleString('en') + ' points)' : '';
      add('CSV' + some, () => saveCsv(pointRows(plate), plate.id));
    }
    bar.prepend(...buttons);
    rove(bar, [...buttons, ...all('summary', bar)]);
  }
  for (const box of all('.tabled')) {
    const table = box.querySelector('table'), title = table.caption.textContent;
    const act = () => saveCsv(tableRows(table), plain(title));
    const bar = made('div', '', { class: 'takeaway' });
    bar.append(button('CSV', act, { 'aria-label': 'CSV of the table: ' + title }));
    box.append(bar);
    rove(box, all('button', box));
  }
  for (const source of all('.code pre, .bibtex')) {
    source.after(button('Copy', (pressed) => copy(source, pressed), { class: 'copy' }));
  }
}());
