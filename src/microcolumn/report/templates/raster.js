'use strict';
// A hidden unit in the data: spikes of all units, and when the hidden unit is active.

/** Whether a hidden unit is active in a bin: P(h = 1 | x) > 0.5. */
function isActive(unit, bin) {
  return unit.thousandths[bin] > 500;
}

/** Stretches in which a hidden unit is active, [first bin, bin after the last] each. */
function activeStretches(unit) {
  const found = [];
  unit.thousandths.forEach((_, bin) => {
    if (!isActive(unit, bin)) return;
    if (bin > 0 && isActive(unit, bin - 1)) found[found.length - 1][1] = bin + 1;
    else found.push([bin, bin + 1]);
  });
  return found;
}

/** "3 units with positive weight" */
function weighted(n, sign) {
  return counted(n, 'unit') + ' with ' + sign + ' weight';
}

/** A raster with the activation of one hidden unit below. */
class Raster extends Plot {
  /** Show a hidden unit. */
  update(explorer, unit) {
    Object.assign(this, { explorer, unit, data: explorer.assemblies });
    this.draw();
    if (this.cursor.on) this.announce(this.sentence());
  }

  /** The next bin in which the hidden unit becomes active, forwards or backwards. */
  next(direction) {
    const { row, column } = this.cursor, starts = activeStretches(this.unit).map(([at]) => at);
    const next = direction > 0 ? starts.find((bin) => bin > column)
      : starts.reverse().find((bin) => bin < column);
    return [row, next === undefined ? column : next];
  }

  draw() {
    const width = this.canvas.clientWidth - LEFT - 2;
    if (!this.data || width <= 0) return;
    const rows = this.data.spikes.length, cellHeight = Math.max(0.8, Math.min(14, 320 / rows));
    const box = { left: LEFT, top: 1, width, height: rows * cellHeight,
      cellWidth: width / this.data.n_bins, cellHeight, rows, columns: this.data.n_bins };
    const trace = { ...box, top: box.height + 14, height: 52 };
    const context = cleared(this.canvas, trace.top + trace.height + BELOW);
    this.shadeActive(context, box);
    this.shadeActive(context, trace);
    this.drawSpikes(context, box);
    drawBands(context, box, bands(this.explorer, 1), true, this.explorer.layers.length > 0);
    this.drawActivation(context, trace);
    this.drawTimes(context, trace);
    this.frame(context, { ...box, bottom: trace.top + trace.height });
  }

  cursorEdges({ left, cellWidth, bottom }) {
    return { left: left + (this.cursor.column + 0.5) * cellWidth - 0.5, top: 0, width: 1,
      height: bottom };
  }

  shadeActive(context, box) {
    context.fillStyle = tinted('rbm', 0.4);
    for (const [start, stop] of activeStretches(this.unit)) {
      const wide = Math.max(1.5, (stop - start) * box.cellWidth);
      context.fillRect(LEFT + start * box.cellWidth, box.top, wide, box.height);
    }
  }

  /** Spikes of units with positive or negative weight in colour, of others faint. */
  drawSpikes(context, box) {
    const positive = new Set(this.unit.positive), negative = new Set(this.unit.negative);
    const wide = Math.max(1.2, Math.min(3, box.cellWidth));
    const high = Math.max(1, box.cellHeight * 0.8);
    this.data.spikes.forEach((bins, row) => {
      const y = box.top + (row + 0.1) * box.cellHeight;
      const name = positive.has(row) ? 'positive' : negative.has(row) ? 'negative' : 'muted';
      context.fillStyle = css(name, name === 'muted' ? 0.45 : 1);
      for (const bin of bins) {
        context.fillRect(LEFT + (bin + 0.5) * box.cellWidth - wide / 2, y, wide, high);
      }
    });
  }

  drawActivation(context, box) {
    const y = (thousandth) => box.top + box.height * (1 - thousandth / 1000);
    context.fillStyle = css('muted');
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (const [text, at] of [['1', 1000], ['P(h=1|x)', 500], ['0', 0]]) {
      context.fillText(text, LEFT - 5, y(at));
      context.fillRect(box.left, Math.round(y(at)), box.width, at === 500 ? 0.5 : 0.25);
    }
    context.strokeStyle = css('ink');
    context.lineWidth = 1;
    context.beginPath();
    this.unit.thousandths.forEach((value, bin) => {
      context.lineTo(box.left + bin * box.cellWidth, y(value));
      context.lineTo(box.left + (bin + 1) * box.cellWidth, y(value));
    });
    context.stroke();
  }

  /** Round times of the recording's clock. */
  drawTimes(context, box) {
    const { start_s: first, n_bins: n } = this.data, seconds = n * this.explorer.bin_s;
    const fits = (each) => seconds / each <= Math.max(2, box.width / 70);
    const step = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10].find(fits) || 20;
    context.fillStyle = css('muted');
    context.textAlign = 'center';
    context.textBaseline = 'top';
    for (let k = Math.ceil(first / step); k * step <= first + seconds; k += 1) {
      const x = box.left + (k * step - first) / seconds * box.width;
      const text = Number((k * step).toFixed(2)) + ' s', half = context.measureText(text).width / 2;
      context.fillRect(x, box.top + box.height, 1, 4);
      context.fillText(text, Math.min(x, box.left + box.width - half), box.top + box.height + 7);
    }
  }

  /** Who spikes at the cursor, and how active the hidden unit is. */
  sentence() {
    const bin = this.cursor.column, { bin_s: width } = this.explorer, { spikes } = this.data;
    const spiking = [...spikes.keys()].filter((row) => spikes[row].includes(bin));
    const positive = spiking.filter((row) => this.unit.positive.includes(row));
    const negative = spiking.filter((row) => this.unit.negative.includes(row)).length;
    const others = spiking.length - positive.length - negative, parts = [];
    if (positive.length) {
      parts.push(weighted(positive.length, 'positive') + ' (' + this.names(positive) + ')');
    }
    if (negative) parts.push(weighted(negative, 'negative'));
    if (others) parts.push(counted(others, 'other'));
    const time = (this.data.start_s + bin * width).toFixed(width < 0.01 ? 4 : 3);
    return time + ' s: P = ' + this.unit.thousandths[bin] / 1000 +
      (isActive(this.unit, bin) ? ', active; ' : ', not active; ') +
      (parts.length ? 'spiking: ' + parts.join(', ') : 'no unit spikes');
  }

  /** Names of the first few of some rows. */
  names(rows) {
    const few = rows.slice(0, 6).map((row) => unitText(this.explorer, row)).join('; ');
    return rows.length > 6 ? few + '; ' + (rows.length - 6) + ' more' : few;
  }
}
