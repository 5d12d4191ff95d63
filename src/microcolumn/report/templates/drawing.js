'use strict';
// What both explorers share: words for numbers and units, colours of the page, names along axes.

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

/** A name apart from what stands beside it, which one from right to left would turn around. */
function isolated(name) {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? '\u2068' + name + '\u2069' : name;
}

/** "unit 7 (IV, 812 µm)" for a row of units. */
function unitText(explorer, row) {
  const [name, layer, depth] = explorer.units[row];
  const where = [layer, depth === null ? '' : Math.round(depth) + ' µm'].filter(Boolean);
  return 'unit ' + isolated(name) + (where.length ? ' (' + where.join(', ') + ')' : '');
}

/** The unit of a row of a map and, in words of several bins, which bin it is in. */
function bitText(explorer, row) {
  const n = explorer.units.length, before = explorer.window - 1 - Math.floor(row / n);
  if (explorer.window === 1) return unitText(explorer, row);
  const bin = before ? counted(before, 'bin') + ' before the newest' : 'in the newest bin';
  return unitText(explorer, row % n) + ', ' + bin;
}

/** The smallest of 1, 2 and 5 times a power of ten that is in a range `most` times or less. */
function roundStep(range, most) {
  const power = 10 ** Math.floor(Math.log10(range / most));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => range / step <= most);
}

/** A new element of an SVG, put into its parent. */
function makeSvg(parent, tag, attributes, text = '') {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  parent.append(element);
  return element;
}

/** Colours of the page as [red, green, blue], by the names of its custom properties. */
const colours = {};
/** Colours of hidden units that are shown together; as many can be chosen. */
const ASSEMBLY_COLOURS = Array.from({ length: 6 }, (_, slot) => 'assembly-' + slot);

/** Read the colours anew, in whatever way they are written. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  for (const name of ['ink', 'paper', 'muted', 'rule', 'zero', 'more', 'less', 'faint',
    ...ASSEMBLY_COLOURS]) {
    context.fillStyle = style.getPropertyValue('--' + name);
    context.fillRect(0, 0, 1, 1);
    colours[name] = [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  }
}

/** A colour of the page as CSS, see-through to some degree. */
function css(name, alpha = 1) {
  return 'rgb(' + colours[name].join(' ') + ' / ' + alpha + ')';
}

/** One colour of the page with a share of another, opaque. */
function mixed(from, to, share) {
  const parts = colours[from].map((each, k) => Math.round(each + share * (colours[to][k] - each)));
  return 'rgb(' + parts.join(' ') + ')';
}

/** Colour of a value: that of zero at zero, full at the end of the scale, never like zero. */
function signedColour(value, most, zero = 'zero') {
  const share = Math.min(1, 0.25 + 0.75 * Math.abs(value) / most);
  return mixed(zero, value > 0 ? 'more' : 'less', share);
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

/** Named bands of rows, [name, first, after the last]: layers or, where there are none, units; in
 * words of several bins, those of each bin. */
function bands(explorer, nBins = explorer.window) {
  const n = explorer.units.length;
  const named = explorer.layers.length
    ? explorer.layers.map(([name, start, stop]) => [name || '?', start, stop])
    : explorer.units.map(([name], row) => [shortId(name), row, row + 1]);
  return Array.from({ length: nBins }, (_, lag) => named.map(
    ([name, start, stop]) => [name, lag * n + start, lag * n + stop])).flat();
}

/** The bins of a window as bands of rows, by how long before the newest bin they are. */
function lagBands({ units: { length: n }, window: nBins, bin_s: width }) {
  return Array.from({ length: nBins }, (_, lag) => {
    const before = (nBins - 1 - lag) * width * 1000;
    return [(before ? '\u2212' : '') + number(before, 2) + ' ms', lag * n, (lag + 1) * n];
  });
}

/** Names of bands, as many as there is space for, and lines between them: down the rows of a plot,
 * or across its columns. */
function drawBands(context, box, named, down, { ruled = true, width = LEFT - 8 } = {}) {
  const [first, size] = down ? [box.top, box.cellHeight] : [box.left, box.cellWidth];
  context.textAlign = down ? 'right' : 'center';
  context.textBaseline = down ? 'middle' : 'top';
  let free = down ? -Infinity : 0;
  for (const [name, start, stop] of named) {
    const edge = first + start * size, middle = edge + (stop - start) * size / 2;
    const half = down ? 6 : context.measureText(name).width / 2 + 2;
    context.fillStyle = css('muted', 0.45);
    if (ruled && start > 0) drawRule(context, box, edge, down, 1);
    if (middle - half < free) continue;
    context.fillStyle = css('muted');
    if (down) context.fillText(name, box.left - 5, middle, width);
    else context.fillText(name, middle, box.top + box.height + 5);
    free = middle + half;
  }
}

/** Bins of a window outside the names of `drawBands`, and thick lines between them. */
function drawLags(context, box, named, down) {
  const [first, size] = down ? [box.top, box.cellHeight] : [box.left, box.cellWidth];
  context.fillStyle = css('muted');
  context.textAlign = 'center';
  for (const [name, start, stop] of named) {
    const edge = first + start * size, length = (stop - start) * size;
    if (start > 0) drawRule(context, box, edge, down, 2);
    context.save();
    if (down) {
      context.translate(0, edge + length / 2);
      context.rotate(-Math.PI / 2);
    } else context.translate(edge + length / 2, box.top + box.height + 19);
    context.textBaseline = 'top';
    context.fillText(name, 0, 0, length - 2);
    context.restore();
  }
}

/** A line between two rows or two columns. */
function drawRule(context, box, edge, down, thick) {
  const at = Math.round(edge) - (thick > 1 ? 1 : 0);
  if (down) context.fillRect(box.left, at, box.width, thick);
  else context.fillRect(at, box.top, thick, box.height);
}
