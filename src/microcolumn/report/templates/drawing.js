'use strict';
// What both explorers share: words for numbers and units, colours of the page, plots to walk
// through.

/** Space left of and below plots, in CSS pixels. */
const LEFT = 58, BELOW = 20;

/** A number with few digits and a true minus sign. */
function number(value, digits = 3) {
  if (value === null) return 'unknown';
  const size = Math.abs(value), far = size !== 0 && (size < 1e-3 || size >= 1e5);
  const text = far ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
  return text.replaceAll('-', '\u2212');
}

/** A score in bits/s with two decimals, fewer where it is large. */
function scoreText(value) {
  if (value === null) return 'unknown';
  const decimals = Math.abs(value) < 100 ? 2 : Math.abs(value) < 1000 ? 1 : 0;
  return value.toFixed(decimals).replaceAll('-', '\u2212');
}

/** "1 bin", "1,200 bins" */
function counted(n, what) {
  return n.toLocaleString('en') + ' ' + what + (n === 1 ? '' : 's');
}

/** "unit 7 (IV, 812 µm)" for a row of units. */
function unitText(explorer, row) {
  const [name, layer, depth] = explorer.units[row];
  const where = [layer, depth === null ? '' : Math.round(depth) + ' µm'].filter(Boolean);
  return 'unit ' + name + (where.length ? ' (' + where.join(', ') + ')' : '');
}

/** The unit of a row of a map and, in words of several bins, which bin it is in. */
function bitText(explorer, row) {
  const n = explorer.units.length, before = explorer.window - 1 - Math.floor(row / n);
  if (explorer.window === 1) return unitText(explorer, row);
  const bin = before ? counted(before, 'bin') + ' before the newest' : 'in the newest bin';
  return unitText(explorer, row % n) + ', ' + bin;
}

/** A new element with text. */
function make(tag, text = '') {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/** A new element of an SVG, put into its parent. */
function makeSvg(parent, tag, attributes, text = '') {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  parent.append(made);
  return made;
}

/** Colours of the page as [red, green, blue], by the names of its custom properties. */
const colours = {};

/** Read the colours anew, in whatever way they are written. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  for (const name of ['ink', 'paper', 'muted', 'rule', 'positive', 'negative', 'rbm']) {
    context.fillStyle = style.getPropertyValue('--' + name);
    context.fillRect(0, 0, 1, 1);
    colours[name] = [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  }
}

/** A colour of the page as CSS, see-through to some degree. */
function css(name, alpha = 1) {
  return 'rgb(' + colours[name].join(' ') + ' / ' + alpha + ')';
}

/** Paper with a share of another colour of the page, opaque. */
function tinted(name, share) {
  const { paper, [name]: full } = colours;
  const mixed = paper.map((from, k) => Math.round(from + share * (full[k] - from)));
  return 'rgb(' + mixed.join(' ') + ')';
}

/** Colour of a value: paper at zero, full at the end of the scale, never invisible. */
function signedColour(value, most) {
  const share = Math.min(1, 0.15 + 0.85 * Math.abs(value) / most);
  return tinted(value > 0 ? 'positive' : 'negative', share);
}

/** The nearest edge of a device's pixel, so that neighbouring cells meet. */
function snapped(position) {
  const scale = window.devicePixelRatio || 1;
  return Math.round(position * scale) / scale;
}

/** A cleared context in CSS pixels; the canvas keeps its width and takes this height. */
function cleared(canvas, height) {
  const scale = window.devicePixelRatio || 1, width = canvas.clientWidth;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  context.font = '11px system-ui, sans-serif';
  context.fillStyle = css('paper');
  context.fillRect(0, 0, width, height);
  return context;
}

/** A unit's name as axes have it; a long one keeps its ends, since names differ at the end. */
function shortId(name) {
  return name.length > 9 ? name.slice(0, 3) + '\u2026' + name.slice(-5) : name;
}

/** Named bands of rows, [name, first, after the last]: layers or, where there are none, units; or
 * the bins of a window. */
function bands(explorer, nBins = explorer.window) {
  const n = explorer.units.length;
  if (nBins > 1) {
    return Array.from({ length: nBins }, (_, lag) => {
      const before = (nBins - 1 - lag) * explorer.bin_s * 1000;
      return [(before ? '\u2212' : '') + number(before, 2) + ' ms', lag * n, (lag + 1) * n];
    });
  }
  if (!explorer.layers.length) {
    return explorer.units.map(([name], row) => [shortId(name), row, row + 1]);
  }
  return explorer.layers.map(([name, start, stop]) => [name || '?', start, stop]);
}

/** Names of bands, as many as there is room for, and lines between them: down the rows of a plot,
 * or across its columns. */
function drawBands(context, box, named, down, ruled = true) {
  const [first, size] = down ? [box.top, box.cellHeight] : [box.left, box.cellWidth];
  context.textAlign = down ? 'right' : 'center';
  context.textBaseline = down ? 'middle' : 'top';
  let free = down ? -Infinity : 0;
  for (const [name, start, stop] of named) {
    const edge = first + start * size, middle = edge + (stop - start) * size / 2;
    const half = down ? 6 : context.measureText(name).width / 2 + 2;
    context.fillStyle = css('muted', 0.45);
    if (ruled && start > 0 && down) context.fillRect(box.left, Math.round(edge), box.width, 1);
    else if (ruled && start > 0) context.fillRect(Math.round(edge), box.top, 1, box.height);
    if (middle - half < free) continue;
    context.fillStyle = css('muted');
    if (down) context.fillText(name, box.left - 5, middle, LEFT - 8);
    else context.fillText(name, middle, box.top + box.height + 5);
    free = middle + half;
  }
}

/** A canvas of cells that can be pointed at, tapped, and walked through by keyboard. */
class Plot {
  /**
   * @param {HTMLCanvasElement} canvas - With an element beside it that marks the cursor.
   * @param {function} announce - Takes a sentence about the cell pointed at.
   */
  constructor(canvas, announce) {
    Object.assign(this, { canvas, announce, cursor: { row: 0, column: 0, on: false } });
    const point = (event) => {
      const { box } = canvas;
      const column = Math.floor((event.offsetX - box.left) / box.cellWidth);
      const row = Math.floor((event.offsetY - box.top) / box.cellHeight);
      if (column < 0 || row < 0 || column >= box.columns || row >= box.rows) return;
      this.move(row, column);
    };
    canvas.addEventListener('pointermove', point);
    canvas.addEventListener('pointerdown', point);
    canvas.addEventListener('focus', () => {
      if (!this.cursor.on) this.move(this.cursor.row, this.cursor.column);
    });
    canvas.addEventListener('keydown', (event) => {
      const { row, column } = this.cursor;
      const to = { ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], Home: [row, 0],
        End: [row, Infinity], ArrowUp: this.next(-1), ArrowDown: this.next(1) }[event.key];
      if (event.ctrlKey || event.altKey || event.metaKey || !to) return;
      event.preventDefault();
      this.move(...to);
    });
  }

  /** Go to a cell, or to the nearest there is, and say what is there. */
  move(row, column) {
    Object.assign(this.cursor, { row, column, on: true });
    this.markCursor();
    this.announce(this.sentence());
  }

  /** A frame around the plot; where its cells are is kept with the canvas. */
  frame(context, box) {
    context.strokeStyle = css('muted');
    context.strokeRect(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1);
    this.canvas.box = box;
    this.markCursor();
  }

  /** Mark the cursor, which stays within the plot; nothing else is drawn anew. */
  markCursor() {
    const { cursor, canvas: { box, nextElementSibling: mark } } = this;
    cursor.row = Math.max(0, Math.min(box.rows - 1, cursor.row));
    cursor.column = Math.max(0, Math.min(box.columns - 1, cursor.column));
    mark.hidden = !cursor.on;
    for (const [edge, length] of Object.entries(this.cursorEdges(box))) {
      mark.style[edge] = length + 'px';
    }
  }
}
