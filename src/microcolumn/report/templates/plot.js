'use strict';
// A canvas of cells that can be pointed at, tapped, and walked through by keyboard.

class Plot {
  /**
   * @param {HTMLCanvasElement} canvas - With an element beside it that marks the cursor.
   * @param {function} announce - Takes a sentence about the cell pointed at, and whether it is to
   * be spoken: what the keyboard did is, what a pointer passes over is not.
   */
  constructor(canvas, announce) {
    Object.assign(this, { canvas, announce, cursor: { row: 0, column: 0, on: false } });
    const point = ({ offsetX, offsetY }) => {
      const cell = this.cellAt(offsetX, offsetY);
      if (cell) this.move(...cell);
    };
    canvas.addEventListener('pointermove', point);
    canvas.addEventListener('pointerdown', point);
    canvas.addEventListener('focus', () => {
      if (!this.cursor.on) this.move(this.cursor.row, this.cursor.column);
    });
    canvas.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (this.press(event.key)) event.preventDefault();
    });
  }

  /** Row and column at a place of the canvas, null beside the cells. */
  cellAt(x, y) {
    const { left, top, width, height, cellWidth, cellHeight, first } = this.canvas.box;
    if (x < left || y < top || x >= left + width || y >= top + height) return null;
    return [Math.floor((y - top) / cellHeight), Math.floor(first + (x - left) / cellWidth)];
  }

  /** Do what a key asks for; whether it asks for anything. */
  press(key) {
    const { row, column } = this.cursor;
    const to = { ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], Home: [row, 0],
      End: [row, Infinity], ArrowUp: this.next(-1), ArrowDown: this.next(1) }[key];
    if (to) this.move(...to, true);
    return Boolean(to);
  }

  /** Go to a cell, or to the nearest there is, and say what is there. */
  move(row, column, aloud = false) {
    const { rows, columns } = this.canvas.box;
    this.cursor.row = Math.max(0, Math.min(rows - 1, row));
    this.cursor.column = Math.max(0, Math.min(columns - 1, column));
    this.cursor.on = true;
    this.markCursor();
    this.announce(this.sentence(), aloud);
  }

  /** A frame around the plot; where its cells are is kept with the canvas. `first` is the column
   * at the left edge. */
  frame(context, box) {
    context.strokeStyle = css('muted');
    context.lineWidth = 1;
    context.strokeRect(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1);
    this.canvas.box = box;
    this.cursor.row = Math.min(box.rows - 1, this.cursor.row);
    this.cursor.column = Math.min(box.columns - 1, this.cursor.column);
    this.markCursor();
  }

  /** Mark the cursor if it is in view; nothing else is drawn anew. */
  markCursor() {
    const { cursor, canvas: { box, nextElementSibling: mark } } = this;
    const x = (cursor.column + 0.5 - box.first) * box.cellWidth;
    mark.hidden = !cursor.on || x < 0 || x > box.width;
    for (const [edge, length] of Object.entries(this.cursorEdges(box))) {
      mark.style[edge] = length + 'px';
    }
  }
}
