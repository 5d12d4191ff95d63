'use strict';
// Hidden units in the data: spikes of all units, and when the chosen hidden units are on.

/** Most CSS pixels per bin, and how many there are when a raster opens. */
const WIDEST_BIN = 24, OPENING_BIN = 4;
/** Heights in CSS pixels: the trace of one hidden unit alone and among others, and the overview. */
const TALL_TRACE = 52, LOW_TRACE = 32, STRIP = 14;

/** A raster with the traces of the chosen hidden units below, and an overview of all bins. */
class Raster extends Plot {
  constructor(canvas, announce, viewed) {
    super(canvas, announce);
    Object.assign(this, { view: new View(), chosen: [], viewed });
    addGestures(canvas, this.view, () => this.draw());
  }

  /** Show a recording where a hidden unit is on. */
  open(explorer, unit) {
    const data = explorer.assemblies, width = this.canvas.clientWidth - LEFT - 2;
    Object.assign(this, { explorer, data, chosen: [] });
    this.view.stretch(data.n_bins);
    const span = Math.max(1, Math.min(data.n_bins, Math.round(width / OPENING_BIN)));
    this.view.show(fullest(unit, span), span);
    this.cursor.column = this.view.first; // keys begin where one looks
  }

  /** Choose hidden units, {unit, colour} each. */
  choose(chosen) {
    this.chosen = chosen;
    this.draw();
    if (this.cursor.on) this.announce(this.sentence());
  }

  /** The next bin in which a chosen hidden unit becomes active, forwards or backwards. */
  next(direction) {
    const { row, column } = this.cursor, starts = this.chosen
      .flatMap(({ unit }) => stretchesOn(unit).map(([at]) => at))
      .filter((bin) => (bin - column) * direction > 0);
    const nearest = direction > 0 ? Math.min(...starts) : Math.max(...starts);
    return [row, starts.length ? nearest : column];
  }

  press(key) {
    const { row, column } = this.cursor, page = Math.max(1, Math.floor(this.view.span));
    if (key === '+' || key === '=') this.zoom(2, true);
    else if (key === '-' || key === '_') this.zoom(0.5, true);
    else if (key === '0') this.showAll(true);
    else if (key === 'PageUp' || key === 'PageDown') {
      this.view.pan(key === 'PageUp' ? -page : page);
      this.move(row, column + (key === 'PageUp' ? -page : page), true);
      this.draw();
    } else return super.press(key);
    return true;
  }

  move(row, column, aloud = false) {
    super.move(row, column, aloud);
    if (aloud && this.view.reveal(this.cursor.column)) this.draw();
  }

  /** Zoom about the cursor or, where that is not in view, about the middle. */
  zoom(factor, aloud = false) {
    const { view, cursor } = this, at = cursor.column + 0.5;
    const seen = cursor.on && at >= view.first && at <= view.first + view.span;
    if (view.zoom(factor, seen ? at : view.first + view.span / 2)) this.draw();
    this.announce(this.viewText(), aloud);
  }

  /** Show all bins. */
  showAll(aloud = false) {
    if (this.view.showAll()) this.draw();
    this.announce(this.viewText(), aloud);
  }

  /** "Showing 2.7 of 20 s, from 12.34 s" */
  viewText() {
    const { view, data, explorer: { bin_s: width } } = this;
    const all = number(view.bins * width, 3), from = number(data.start_s + view.first * width, 5);
    if (view.span === view.bins) return 'Showing all ' + all + ' s';
    return 'Showing ' + number(view.span * width, 2) + ' of ' + all + ' s, from ' + from + ' s';
  }

  draw() {
    const width = this.canvas.clientWidth - LEFT - 2;
    if (!this.data || width <= 0) return;
    this.view.least = width / WIDEST_BIN;
    this.view.show(this.view.first, this.view.span);
    const rows = this.data.spikes.length, cellHeight = Math.max(0.8, Math.min(14, 320 / rows));
    const box = { left: LEFT, top: 1, width, height: rows * cellHeight, first: this.view.first,
      cellWidth: width / this.view.span, cellHeight, rows, columns: this.data.n_bins };
    const high = this.chosen.length > 1 ? LOW_TRACE : TALL_TRACE;
    const traces = this.chosen.map((_, k) =>
      ({ ...box, top: box.height + 20 + k * (high + 8), height: high }));
    const { top, height } = traces[traces.length - 1] || box;
    const axis = top + height, strip = axis + 26;
    const context = cleared(this.canvas, strip + STRIP + 2);
    this.clipped(context, { ...box, height: axis }, () => this.drawData(context, box, traces));
    drawBands(context, box, bands(this.explorer, 1), true, { ruled: this.explorer.layers.length > 0 });
    traces.forEach((trace, k) => this.nameTrace(context, trace, this.chosen[k]));
    this.drawTimes(context, { ...box, top: axis });
    this.drawStrip(context, { ...box, top: strip, height: STRIP });
    this.frame(context, { ...box, bottom: axis, strip: strip - 4 });
    this.viewed(this.viewText());
  }

  /** Draw something that must not leave a box. */
  clipped(context, box, draw) {
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.width, box.height);
    context.clip();
    draw();
    context.restore();
  }

  drawData(context, box, traces) {
    const alpha = this.chosen.length > 2 ? 0.12 : 0.2; // many colours must not hide the spikes
    for (const each of this.chosen) this.shade(context, box, each, alpha);
    drawSpikes(context, box, this.data.spikes, spikeColours(this.chosen, box));
    traces.forEach((trace, k) => {
      this.shade(context, trace, this.chosen[k], 0.35);
      drawTrace(context, trace, this.chosen[k].unit);
    });
  }

  /** Shade where a hidden unit is on. */
  shade(context, box, { unit, colour }, alpha) {
    context.fillStyle = css(colour, alpha);
    for (const [start, stop] of stretchesOn(unit)) {
      const wide = Math.max(1.5, (stop - start) * box.cellWidth);
      context.fillRect(box.left + (start - box.first) * box.cellWidth, box.top, wide, box.height);
    }
  }

  /** The axis of a trace, with the name of its hidden unit. */
  nameTrace(context, box, { unit, colour }) {
    const y = (p) => box.top + box.height * (1 - p);
    context.fillStyle = css('muted');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const p of [0, 1]) {
      context.fillText(String(p), LEFT - 5, y(p) + (p ? 3 : -3));
      context.fillRect(box.left, Math.round(y(p)), box.width, 0.5);
    }
    context.fillStyle = css(colour);
    context.fillRect(2, box.top + box.height / 2 - 7, 4, 14);
    context.fillStyle = css('ink');
    context.textAlign = 'left';
    context.fillText('h' + unit.column, 10, box.top + box.height / 2, LEFT - 26);
    context.fillStyle = css('muted');
    context.textBaseline = 'bottom';
    if (box.top < box.rows * box.cellHeight + 24) context.fillText('P(h = 1 | x)', LEFT, box.top - 3);
  }

  /** Round times of the recording's clock, finer the closer one looks. */
  drawTimes(context, box) {
    const { start_s: start } = this.data, { bin_s: width } = this.explorer;
    const first = start + box.first * width, seconds = this.view.span * width;
    const step = roundStep(seconds, Math.max(2, box.width / 72));
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    context.fillStyle = css('muted');
    context.textAlign = 'center';
    context.textBaseline = 'top';
    for (let k = Math.ceil(first / step); k * step <= first + seconds; k += 1) {
      const x = box.left + (k * step - first) / seconds * box.width;
      const text = (k * step).toFixed(decimals), half = context.measureText(text).width / 2;
      context.fillRect(Math.round(x), box.top, 1, 4);
      context.fillText(text, Math.min(x, box.left + box.width - half), box.top + 7);
    }
    context.textAlign = 'right';
    context.fillText('time (s)', LEFT - 12, box.top + 7);
  }

  /** All bins, with where hidden units are on and which part is in view. */
  drawStrip(context, box) {
    const wide = box.width / this.data.n_bins, { first, span, bins } = this.view;
    const whole = { ...box, first: 0, cellWidth: wide }, after = first + span;
    context.fillStyle = css('faint', 0.25);
    context.fillRect(box.left, box.top, box.width, box.height);
    this.chosen.forEach((each, k) => this.shade(context, { ...whole,
      top: box.top + k * box.height / this.chosen.length,
      height: box.height / this.chosen.length }, each, 1));
    context.fillStyle = css('paper', 0.4);
    context.fillRect(box.left, box.top, first * wide, box.height);
    context.fillRect(box.left + after * wide, box.top, (bins - after) * wide, box.height);
    context.strokeStyle = css('ink');
    context.lineWidth = 1.5;
    context.strokeRect(box.left + first * wide, box.top, span * wide, box.height);
    context.fillStyle = css('muted');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText('all', LEFT - 12, box.top + box.height / 2);
  }

  /** Rows and traces alike tell the time. */
  cellAt(x, y) {
    const { left, width, top, bottom, cellHeight, cellWidth, rows, first } = this.canvas.box;
    if (x < left || x >= left + width || y < top || y >= bottom) return null;
    const row = Math.min(rows - 1, Math.floor((y - top) / cellHeight));
    return [row, Math.floor(first + (x - left) / cellWidth)];
  }

  cursorEdges({ left, first, cellWidth, bottom }) {
    return { left: left + (this.cursor.column + 0.5 - first) * cellWidth - 0.5, top: 0, width: 1,
      height: bottom };
  }

  /** Which hidden units are on at the cursor, and who spikes. */
  sentence() {
    const bin = this.cursor.column, { bin_s: width } = this.explorer, { spikes } = this.data;
    const spiking = [...spikes.keys()].filter((row) => spikes[row].includes(bin));
    const time = (this.data.start_s + bin * width).toFixed(width < 0.01 ? 4 : 3) + ' s: ';
    const count = (rows) => spiking.filter((row) => rows.includes(row)).length;
    const states = this.chosen.map(({ unit: { column, thousandths, members, negative }, unit }) => {
      const company = [];
      if (members.length) company.push(count(members) + ' of its ' + counted(members.length, 'unit'));
      if (negative.length) company.push(count(negative) + ' of ' + negative.length + ' that it silences');
      return 'h' + column + ' is ' + (isOn(unit, bin) ? 'on' : 'off') + ' (P = ' +
        thousandths[bin] / 1000 + ') with ' + company.join(' and ') + '; ';
    });
    const names = spiking.slice(0, 6).map((row) => unitText(this.explorer, row)).join('; ');
    const more = spiking.length > 6 ? '; ' + (spiking.length - 6) + ' more' : '';
    return time + states.join('') + (spiking.length
      ? counted(spiking.length, 'unit') + (spiking.length === 1 ? ' spikes: ' : ' spike: ') + names + more
      : 'no unit spikes');
  }
}
