// Ways out of the page: figures as SVG, PNG and CSV, tables as CSV, code to copy. Files are made
// here from what the page holds; nothing is sent anywhere.
(function () {
  /** Width of a PNG: pixels per point of the figure, 300 to the inch. */
  const SCALE = 300 / 72;
  /** Milliseconds that a file is kept for a browser that is slow to fetch it. */
  const PATIENCE = 60000;

  function save(blob, name) {
    const link = made('a', '', { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), PATIENCE);
  }

  /** The whole drawing as a file of its own, with title and caption. */
  function svgText(plate) {
    const drawing = plate.querySelector('.sheet svg').cloneNode(true);
    const { size: [width, height] } = about(plate), space = 'http://www.w3.org/2000/svg';
    drawing.setAttribute('width', width + 'pt');
    drawing.setAttribute('height', height + 'pt');
    const [title, caption] = ['title', 'desc'].map((tag) => document.createElementNS(space, tag));
    const textOf = (part) => plate.querySelector(part).textContent.replaceAll('\u00a0', ' ');
    title.textContent = textOf('figcaption b');
    caption.textContent = textOf('figcaption');
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
    canvas.toBlob((blob) => save(blob, fileName(plate) + '.png'));
  }

  /** A cell of a CSV file; a text that a spreadsheet would take for a formula is quoted. */
  function cell(value) {
    const text = value === null || value === undefined ? '' : String(value);
    const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
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

  /** The rows of a table as a program reads them: values apart from their errors. */
  function tableRows(table) {
    const columns = [...table.tHead.rows[0].cells].map((header, column) => {
      const cells = [...table.tBodies[0].rows].map((row) => row.cells[column]);
      const cellTexts = cells.map((each) => each.dataset.value ?? each.textContent.trim());
      const texts = cellTexts.map((each) => each === '-' ? '' : each), name = header.textContent.trim();
      return header.classList.contains('words') ? [[name, ...texts]] : numbersOf(name, texts);
    }).flat();
    return columns[0].map((_, row) => columns.map((column) => column[row]));
  }

  /** Columns of a column of numbers: `1,200 ± 30 %` has a value and an error, both in per cent. */
  function numbersOf(name, texts) {
    const amount = /^([+-]?[\d.,]+(?:e[+-]?\d+)?)((?: ± (?:[\d.,]+|-))*)( ?%)?$/;
    const found = texts.map((text) => text === '' ? ['', '', '', ''] : amount.exec(text));
    if (found.includes(null)) return [[name, ...texts]];
    const parts = found.map(([, value, errors]) => [value, ...(errors || '').split(' ± ').slice(1)]);
    const unit = found.some((each) => each[3]) ? ' (%)' : '';
    const n = Math.max(1, ...parts.map((each) => each.length));
    return ['', ' ±', ' second ±'].slice(0, n).map((which, k) => [name + unit + which,
      ...parts.map((each) => (each[k] ?? '').replaceAll(',', '').replace(/^-$/, ''))]);
  }

  /** Letters and digits of a text, for the name of a file. */
  function plain(text) {
    const joined = text.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
    return [...joined].slice(0, 60).join('');
  }

  /** Which figure of which recording: `Figure-2-data-B4`. */
  function fileName(plate) {
    const [number, ...of] = plate.querySelector('.card').ariaLabel.split(', ');
    const kind = plate.id.replace(/^figure-|-\d+$/g, '');
    return [number + ' ' + kind, of.join(' ')].filter(Boolean).map(plain).join('-');
  }

  /** Which table of which recording: `Units-B4-instantaneous`. */
  function tableName({ caption }) {
    const title = caption.querySelector('b').textContent, all = caption.textContent.trim();
    return [title, all.slice(title.length)].map(plain).filter(Boolean).join('-');
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
      add('SVG', () => save(new Blob([svgText(plate)], { type: 'image/svg+xml' }),
        fileName(plate) + '.svg'));
    }
    add('PNG', () => savePng(plate));
    if (points) {
      const n = points.reduce((sum, [, rows]) => sum + rows.length, 0);
      const some = n < total ? ' (' + n.toLocaleString('en') + ' of '
        + total.toLocaleString('en') + ' points)' : '';
      add('CSV' + some, () => saveCsv(pointRows(plate), fileName(plate)));
    }
    bar.prepend(...buttons);
    rove(bar, [...buttons, ...all('summary', bar)]);
  }
  for (const box of all('.tabled')) {
    const table = box.querySelector('table'), title = table.caption.textContent.trim();
    const act = () => saveCsv(tableRows(table), tableName(table));
    const bar = made('div', '', { class: 'takeaway' });
    bar.append(button('CSV', act, { 'aria-label': 'CSV of the table: ' + title }));
    box.append(bar);
  }
  for (const source of all('.code pre, .bibtex')) {
    source.after(button('Copy', (pressed) => copy(source, pressed), { class: 'copy' }));
  }
}());
