'use strict';
// Hidden units in the data: spikes of all units, and when the chosen hidden units are on.

/** Most CSS pixels per bin, and how many there are when a raster opens. */
const WIDEST_BIN = 24, OPENING_BIN = 4;
/** Heights in CSS pixels: the trace of one hidden unit alone and among others, and the overview. */
const TALL_TRACE = 52, LOW_TRACE = 32, STRIP = 14;
/** Least height of a row whose unit is named. */
const LEAST_NAMED = 9;

/** A raster with the traces of the chosen hidden units below, and an overview of all bins. */
class Raster extends Plot {
  constructor(canvas, announce, viewed) {
    super(canvas, announce);
    Object.assign(this, { view: new View(), chosen: [], viewed });
    addGestures(canvas, this.view, () => this.draw());
  }

  /** Show a recording. */
  open(explorer) {
    const data = explorer.assemblies;
    if (typeof data.spikes[0] === 'string') data.spikes = data.spikes.map(unpacked);
    Object.assign(this, { explorer, data, chosen: [] });
    this.view.stretch(data.n_bins);
  }

  /** Look where a hidden unit is on most; keys begin there. */
  lookAt(unit) {
    const width = this.canvas.clientWidth - LEFT - 2;
    const span = Math.max(1, Math.min(this.data.n_bins, Math.round(width / OPENING_BIN)));
    this.prepare(unit);
    this.view.show(fullest(unit, span), span);
    this.cursor.column = Math.floor(this.view.first);
    this.draw();
  }

  /** Compute when a hidden unit is on, once. */
  prepare(unit) {
    unit.p ??= activation(this.data, unit, this.explorer.window);
    unit.on ??= stretchesOn(unit);
  }

  /** Choose hidden units, {unit, colour} each. */
  choose(chosen) {
    this.chosen = chosen;
    chosen.forEach(({ unit }) => this.prepare(unit));
    this.draw();
    if (this.cursor.on) this.announce(this.sentence());
  }

  /** The next bin in which a chosen hidden unit becomes active, forwards or backwards. */
  next(direction) {
    const { row, column } = this.cursor, starts = this.chosen
      .flatMap(({ unit }) => unit.on.map(([at]) => at))
      .filter((bin) => (bin - column) * direction > 0);
    starts.sort((a, b) => (a - b) * direction);
    return [row, starts[0] ?? column];
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

  /** Start of a bin on the recording's clock, seconds. */
  time(bin) {
    const { epochs } = this.data, width = this.explorer.bin_s;
    const [first, start] = epochs[Math.max(0, placeOf(epochs.map(([at]) => at), bin + 1) - 1)];
    return start + (bin - first) * width;
  }

  /** "2.7 s of 10 min, from 12.34 s" */
  viewText() {
    const { view, data } = this, width = this.explorer.bin_s;
    const of = (bins) => bins * width < 120 ? number(bins * width, 3) + ' s'
      : number(bins * width / 60, 3) + ' min';
    const most = data.n_bins < data.total ? ' (of ' + of(data.total) + '; no more fits into this page)' : '';
    if (view.span === view.bins) return 'all ' + of(view.bins) + most;
    const from = number(this.time(Math.floor(view.first)), 5);
    return of(view.span) + ' of ' + of(view.bins) + ', from ' + from + ' s' + most;
  }

  draw() {
    const width = this.canvas.clientWidth - LEFT - 2;
    if (!this.data || width <= 0) return;
    this.view.least = width / WIDEST_BIN;
    this.view.show(this.view.first, this.view.span);
    const rows = this.data.spikes.length, cellHeight = Math.max(0.8, Math.min(14, 400 / rows));
    const box = { left: LEFT, top: 1, width, height: rows * cellHeight, first: this.view.first,
      cellWidth: width / this.view.span, cellHeight, rows, columns: this.data.n_bins };
    const high = this.chosen.length > 1 ? LOW_TRACE : TALL_TRACE;
    const traces = this.chosen.map((_, k) =>
      ({ ...box, top: box.height + 20 + k * (high + 8), height: high }));
    const { top, height } = traces[traces.length - 1] || box;
    const axis = top + height, strip = axis + 26;
    const context = cleared(this.canvas, strip + STRIP + 2);
    this.clipped(context, { ...box, height: axis }, () => this.drawData(context, box, traces));
    this.nameRows(context, box);
    traces.forEach((trace, k) => this.nameTrace(context, trace, this.chosen[k]));
    this.drawTimes(context, { ...box, top: axis });
    this.drawStrip(context, { ...box, top: strip, height: STRIP });
    this.frame(context, { ...box, bottom: axis, strip: strip - 4 });
    this.viewed(this.viewText());
  }

  /** Units beside their rows where they fit, with layers beside them; else layers alone. */
  nameRows(context, box) {
    const { units, layers } = this.explorer, layered = layers.length > 0;
    if (layered && box.cellHeight < LEAST_NAMED) {
      return drawBands(context, box, bands(this.explorer, 1), true);
    }
    if (layered) drawLags(context, box, layers, true);
    return drawBands(context, box, units.map(([name], row) => [shortId(name), row, row + 1]), true,
      { ruled: false, width: LEFT - (layered ? 24 : 8) });
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
    const last = box.first + box.width / box.cellWidth;
    for (const [start, stop] of unit.on) {
      if (stop < box.first || start > last) continue;
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

  /** Round times of the recording's clock, finer the closer one looks; a line where it has gaps. */
  drawTimes(context, box) {
    const { epochs } = this.data, { bin_s: width } = this.explorer, { view } = this;
    const step = roundStep(view.span * width, Math.max(2, box.width / 72));
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    let free = -Infinity;
    context.textAlign = 'center';
    context.textBaseline = 'top';
    epochs.forEach(([first, start], k) => {
      const stop = k + 1 < epochs.length ? epochs[k + 1][0] : view.bins;
      const from = Math.max(first, view.first), to = Math.min(stop, view.first + view.span);
      const x = (bin) => box.left + (bin - view.first) * box.cellWidth;
      context.fillStyle = css('muted', 0.45);
      if (k && from === first && from < to) context.fillRect(Math.round(x(first)), 0, 1, box.top);
      context.fillStyle = css('muted');
      const timeOf = (bin) => start + (bin - first) * width;
      for (let n = Math.ceil(timeOf(from) / step - 1e-9); n * step <= timeOf(to) && from < to; n += 1) {
        const at = x(first + (n * step - start) / width), text = (n * step).toFixed(decimals);
        const half = context.measureText(text).width / 2;
        if (at - half < free) continue;
        free = at + half + 4;
        context.fillRect(Math.round(at), box.top, 1, 4);
        context.fillText(text, Math.min(at, box.left + box.width - half), box.top + 7);
      }
    });
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
    const spiking = [...spikes.keys()].filter((row) => spikes[row][placeOf(spikes[row], bin)] === bin);
    const time = this.time(bin).toFixed(width < 0.01 ? 4 : 3) + ' s: ';
    const count = (rows) => spiking.filter((row) => rows.includes(row)).length;
    const states = this.chosen.map(({ unit: { column, p, members, negative }, unit }) => {
      const company = [];
      if (members.length) company.push(count(members) + ' of its ' + counted(members.length, 'unit'));
      if (negative.length) company.push(count(negative) + ' of ' + negative.length + ' that it opposes');
      return 'h' + column + ' is ' + (isOn(unit, bin) ? 'on' : 'off') + ' (P = ' +
        Number(p[bin].toFixed(3)) + ') with ' + company.join(' and ') + '; ';
    });
    const names = spiking.slice(0, 6).map((row) => unitText(this.explorer, row)).join('; ');
    const more = spiking.length > 6 ? '; ' + (spiking.length - 6) + ' more' : '';
    return time + states.join('') + (spiking.length
      ? counted(spiking.length, 'unit') + (spiking.length === 1 ? ' spikes: ' : ' spike: ') + names + more
      : 'no unit spikes');
  }
}
