'use strict';
// The parameters of a model at one penalty: maps of couplings and weights.

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
    Object.assign(this, { explorer, hidden: step.hidden });
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
    if (this.columns === 0) return 'No hidden unit is in use at this penalty.';
    const parts = [], coupling = this.matrix === 'J';
    if (!coupling) {
      parts.push('Strongest first, by the sum of absolute weights; h0 is the first column of W.');
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
    const coupling = this.matrix === 'J', windows = this.explorer.window > 1;
    const cellWidth = coupling ? cellHeight : Math.min(44, width / this.columns);
    const box = { left: LEFT, top: 1, width: cellWidth * this.columns, height, first: 0,
      cellWidth, cellHeight, rows: this.rows, columns: this.columns };
    const context = cleared(this.canvas, height + BELOW + (coupling && windows ? 16 : 2));
    this.fill(context, box);
    const named = bands(this.explorer), ruled = this.explorer.layers.length > 0;
    drawBands(context, box, named, true, { ruled, width: windows ? LEFT - 24 : LEFT - 8 });
    drawBands(context, box, coupling ? named : this.hidden.map((h, k) => ['h' + h, k, k + 1]), false,
      { ruled: coupling && ruled });
    if (windows) drawLags(context, box, lagBands(this.explorer), true);
    if (windows && coupling) drawLags(context, box, lagBands(this.explorer), false);
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
    context.fillStyle = css('zero');
    context.fillRect(box.left, box.top, box.width, box.height);
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
      : 'h' + this.hidden[column] + ' \u2013 ' + here;
    if (value !== undefined) return pair + ': ' + this.matrix + ' = ' + number(value) + ' nats';
    return pair + ': ' + this.matrix + (this.cut ? ' is 0 or not among the strongest' : ' = 0');
  }
}
