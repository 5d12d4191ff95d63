'use strict';
// The parameters of a model at one penalty: maps of couplings and weights, and the curve of
// validation scores.

/** The entries of a sparse matrix by place; see `strongest` in _explorer.py. */
function entries(sparse) {
  const found = new Map();
  let place = 0;
  sparse.gaps.forEach((gap, k) => {
    place += gap;
    found.set(place, sparse.values[k]);
  });
  return found;
}

/** End of the colour scale: nearly all entries at the chosen penalty are within it. */
function scaleEnd(model, matrix) {
  const steps = model.steps.map((step) => step[matrix].values), chosen = steps[model.chosen];
  const sizes = (chosen.length ? chosen : steps.flat()).map(Math.abs).sort((a, b) => a - b);
  return sizes[Math.floor(0.98 * (sizes.length - 1))] || 1;
}

/** A map of J (units x units) or W (units x hidden units). */
class HeatMap extends Plot {
  /**
   * @param {HTMLElement} figure - With a canvas, a colour scale and a remark.
   * @param {string} matrix - "J" or "W".
   * @param {function} announce - Takes a sentence about the cell pointed at.
   * @param {function} pick - Takes the column on which Enter was pressed.
   */
  constructor(figure, matrix, announce, pick) {
    super(figure.querySelector('canvas'), announce);
    Object.assign(this, { figure, matrix });
    const picked = () => pick(this.cursor.column);
    this.canvas.addEventListener('dblclick', picked);
    this.canvas.addEventListener('keydown', ({ key }) => { if (key === 'Enter') picked(); });
  }

  /** The row above or below. */
  next(direction) {
    return [this.cursor.row + direction, this.cursor.column];
  }

  /** Whether there is a map to look at. */
  get visible() {
    return !this.figure.hidden && this.columns > 0;
  }

  /** Show a model at one penalty. */
  update(explorer, model, step) {
    const sparse = step[this.matrix];
    this.figure.hidden = sparse === null;
    if (sparse === null) return;
    this.explorer = explorer;
    this.rows = explorer.units.length * explorer.window;
    this.columns = this.matrix === 'J' ? this.rows : step.hidden.length;
    this.values = entries(sparse);
    this.most = scaleEnd(model, this.matrix);
    this.cut = this.values.size < sparse.total;
    const part = (name) => this.figure.querySelector('.explorer-' + name);
    part('least').textContent = '\u2264 ' + number(-this.most, 2);
    part('most').textContent = '\u2265 ' + number(this.most, 2) + ' nats';
    part('remark').textContent = this.remark(sparse);
    part('scale').hidden = part('plot').hidden = this.columns === 0;
    this.draw();
  }

  /** What a reader must know of the map: the order of its columns, and what was left out. */
  remark(sparse) {
    if (this.columns === 0) return 'No hidden unit is alive at this penalty.';
    const parts = [], coupling = this.matrix === 'J';
    if (!coupling) {
      parts.push('Numbered from the most to the least variable activation on the test words.');
    }
    if (this.cut) {
      parts.push('The strongest ' + this.values.size.toLocaleString('en') + ' of ' +
        counted(sparse.total, coupling ? 'coupling' : 'weight') + ' are in this page.');
    }
    return parts.join(' ');
  }

  draw() {
    const width = this.canvas.clientWidth - LEFT - 2;
    if (!this.visible || width <= 0) return;
    const height = Math.min(width, 440, this.rows * 44), cellHeight = height / this.rows;
    const cellWidth = this.matrix === 'J' ? cellHeight : Math.min(44, width / this.columns);
    const box = { left: LEFT, top: 1, width: cellWidth * this.columns, height,
      cellWidth, cellHeight, rows: this.rows, columns: this.columns };
    const context = cleared(this.canvas, height + BELOW + 2);
    this.fill(context, box);
    const layers = bands(this.explorer), coupling = this.matrix === 'J';
    const ruled = this.explorer.layers.length > 0 || this.explorer.window > 1;
    drawBands(context, box, layers, true, ruled);
    drawBands(context, box, coupling ? layers : Array.from({ length: box.columns },
      (_, k) => [String(k + 1), k, k + 1]), false, coupling && ruled);
    this.frame(context, box);
  }

  /** All cells, weak ones first, so that strong ones are on top where cells are tiny. */
  fill(context, box) {
    const cell = (row, column) => {
      const x = snapped(box.left + column * box.cellWidth);
      const y = snapped(box.top + row * box.cellHeight);
      context.fillRect(x, y, Math.max(1, snapped(box.left + (column + 1) * box.cellWidth) - x),
        Math.max(1, snapped(box.top + (row + 1) * box.cellHeight) - y));
    };
    context.fillStyle = css('rule', 0.6);
    if (this.matrix === 'J') for (let n = 0; n < box.rows; n += 1) cell(n, n);
    const ordered = [...this.values].sort((a, b) => Math.abs(a[1]) - Math.abs(b[1]));
    for (const [place, value] of ordered) {
      const row = Math.floor(place / box.columns), column = place % box.columns;
      context.fillStyle = signedColour(value, this.most);
      cell(row, column);
      if (this.matrix === 'J') cell(column, row);
    }
  }

  cursorEdges({ left, top, cellWidth, cellHeight }) {
    const pad = Math.max(0, 4 - cellWidth) / 2; // tiny cells get a frame that can be seen
    return { left: left + this.cursor.column * cellWidth - pad,
      top: top + this.cursor.row * cellHeight - pad,
      width: cellWidth + 2 * pad, height: cellHeight + 2 * pad };
  }

  /** What stands at the cursor. */
  sentence() {
    const { row, column } = this.cursor, coupling = this.matrix === 'J';
    const here = bitText(this.explorer, row);
    if (coupling && row === column) return here + ': no coupling with itself';
    const [first, second] = coupling && row > column ? [column, row] : [row, column];
    const value = this.values.get(first * this.columns + second);
    const pair = coupling ? here + ' \u2013 ' + bitText(this.explorer, column)
      : 'hidden unit ' + (column + 1) + ' \u2013 ' + here;
    if (value !== undefined) return pair + ': ' + this.matrix + ' = ' + number(value) + ' nats';
    return pair + ': ' + this.matrix + (this.cut ? ' is 0 or not among the strongest' : ' = 0');
  }
}

/** Heights of scores between two edges; those far below all others are not drawn to scale. */
function scoreHeights(scores, top, bottom) {
  const most = Math.max(...scores);
  const least = Math.max(Math.min(...scores), most - 2 * Math.abs(most));
  const scale = (bottom - top) / (most - least || 1);
  const height = (score) => bottom - scale * Math.max(0, score - least);
  return { least, height };
}

/** Validation score against the penalty, as wide as the slider below it. */
function drawCurve(place, model, current) {
  const width = place.clientWidth, { steps } = model;
  const known = [...steps.keys()].filter((k) => steps[k].score !== null);
  const scores = known.map((k) => steps[k].score);
  const doubtful = known.some((k) => !steps[k].converged);
  const { least, height } = scoreHeights(scores, 26, 72);
  place.replaceChildren(make('p', curveTitle(scores, least, doubtful)));
  if (!width) return;
  const root = makeSvg(place, 'svg', { viewBox: '0 0 ' + width + ' 86', role: 'img',
    'aria-label': 'Validation score in bits/s against the penalty' });
  const x = (k) => 8 + (width - 16) * (steps.length > 1 ? k / (steps.length - 1) : 0.5);
  const colour = 'var(--' + model.model.toLowerCase() + ')';
  makeSvg(root, 'line', { x1: 0, x2: width, y1: 85.5, y2: 85.5, class: 'explorer-rule' });
  makeSvg(root, 'polyline', { fill: 'none', stroke: colour, 'stroke-width': 1.5,
    points: known.map((k) => x(k) + ',' + height(steps[k].score)).join(' ') });
  for (const k of known) {
    const y = height(steps[k].score);
    makeSvg(root, 'circle', { cx: x(k), cy: y, r: k === current ? 6 : 3, stroke: colour,
      fill: steps[k].converged ? colour : 'var(--paper)' });
    if (steps[k].score < least) makeSvg(root, 'text', { x: x(k) + 6, y: y + 4 }, '\u2193');
    if (k === model.chosen) markChosen(root, x(k), y, width);
  }
}

/** What the curve shows, and between which scores. */
function curveTitle(scores, least, doubtful) {
  if (!scores.length) return 'Validation score is unknown';
  const lowest = Math.min(...scores), highest = Math.max(...scores);
  return 'Validation score, ' + scoreText(lowest) + ' to ' + scoreText(highest) + ' bits/s' +
    (lowest < least ? '; \u2193 not to scale' : '') +
    (doubtful ? '; hollow: log Z not converged' : '');
}

/** A ring around the chosen penalty, and the word, which stays within the curve's width. */
function markChosen(root, x, y, width) {
  makeSvg(root, 'circle', { cx: x, cy: y, r: 9, fill: 'none', stroke: 'var(--ink)' });
  const anchor = x < 30 ? 'start' : x > width - 30 ? 'end' : 'middle';
  const at = { start: 0, middle: x, end: width }[anchor];
  makeSvg(root, 'text', { x: at, y: y - 14, 'text-anchor': anchor }, 'chosen');
}

/** Numbers of a model at one penalty, [name, value] each. */
function factsOf(explorer, model, step) {
  const error = step.error === null ? '' : ' ± ' + scoreText(step.error);
  const doubt = step.converged ? '' : ', not converged, so that the score may be too good';
  const facts = [['Validation score', scoreText(step.score) + error + ' bits/s, split '
    + explorer.split], ['log Z', step.method + doubt]];
  const n = explorer.units.length * explorer.window;
  if (step.W) facts.push(['Live hidden units', step.hidden.length + ' of ' + model.n_hidden]);
  if (step.J) facts.push(['Couplings other than zero',
    step.J.total.toLocaleString('en') + ' of ' + (n * (n - 1) / 2).toLocaleString('en')]);
  return facts;
}
