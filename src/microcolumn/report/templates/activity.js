'use strict';
// When hidden units are on, and spikes coloured by their weights.

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Bins of the spikes of a row: see `compact` in _explorer.py. */
function unpacked(text) {
  const bins = [];
  let step = 0, shift = 0, bin = 0;
  for (const letter of text) {
    const value = LETTERS.indexOf(letter);
    step += (value & 31) << shift;
    if (value < 32) {
      bins.push(bin += step);
      step = shift = 0;
    } else shift += 5;
  }
  return bins;
}

/** The first place of increasing numbers whose number is `least` or more. */
function placeOf(numbers, least) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** P(h = 1 | x) in each bin, by the word that ends in it; 0 where an epoch has no whole word yet. */
function activation({ spikes, epochs, n_bins: nBins }, { bias, weights }, nLags) {
  const p = new Float64Array(nBins).fill(bias), rows = spikes.length;
  spikes.forEach((bins, row) => {
    for (let lag = 0; lag < nLags; lag += 1) {
      const weight = weights[(nLags - 1 - lag) * rows + row];
      if (weight) for (const bin of bins) if (bin + lag < nBins) p[bin + lag] += weight;
    }
  });
  p.forEach((value, bin) => { p[bin] = 1 / (1 + Math.exp(-value)); });
  for (const [first] of epochs) p.fill(0, first, Math.min(nBins, first + nLags - 1));
  return p;
}

/** Whether a hidden unit is on in a bin: P(h = 1 | x) > 0.5. */
function isOn(unit, bin) {
  return unit.p[bin] > 0.5;
}

/** Stretches in which a hidden unit is on, [first bin, bin after the last] each. */
function stretchesOn(unit) {
  const found = [];
  unit.p.forEach((_, bin) => {
    if (!isOn(unit, bin)) return;
    if (bin > 0 && isOn(unit, bin - 1)) found[found.length - 1][1] = bin + 1;
    else found.push([bin, bin + 1]);
  });
  return found;
}

/** First of the `span` bins in which a hidden unit is on most. */
function fullest(unit, span) {
  const values = unit.p;
  let sum = 0, most = -1, found = 0;
  values.forEach((value, bin) => {
    sum += value - (bin >= span ? values[bin - span] : 0);
    if (bin + 1 >= span && sum > most) [most, found] = [sum, bin + 1 - span];
  });
  return found;
}
/**
 * Colours of each row's spikes, one or several below each other.
 *
 * Of one hidden unit, colour is the weight, from negative through grey to positive. Of several,
 * those of each hidden unit whose member a unit is, the fuller the larger its weight; where rows
 * are too low for several, that of the relatively largest. All others are grey.
 *
 * @param {object[]} chosen - {unit, colour} each.
 * @param {object} box - With the number of rows and their height.
 */
function spikeColours(chosen, { rows, cellHeight }) {
  const most = Math.max(1, Math.floor(cellHeight / 3));
  return Array.from({ length: rows }, (_, row) => {
    const weight = ({ unit }) => unit.percent[row];
    if (chosen.length === 1 && weight(chosen[0])) {
      return [signedColour(weight(chosen[0]), 100, 'faint')];
    }
    const own = chosen.length > 1 ? chosen.filter(({ unit }) => unit.members.includes(row)) : [];
    own.sort((a, b) => weight(b) - weight(a)).splice(most);
    return own.length ? own.map((each) => mixed('faint', each.colour, weight(each) / 100))
      : [css('faint')];
  });
}

/** Spikes of all rows, those in view; of several at one pixel, the first. */
function drawSpikes(context, box, spikes, colours) {
  const wide = Math.max(1.2, box.cellWidth * 0.75), high = Math.max(1, box.cellHeight * 0.8);
  const last = box.first + box.width / box.cellWidth, apart = 0.5 / box.cellWidth;
  spikes.forEach((bins, row) => {
    const y = box.top + (row + 0.1) * box.cellHeight, part = high / colours[row].length;
    colours[row].forEach((colour, k) => {
      let drawn = -Infinity;
      context.fillStyle = colour;
      for (let n = placeOf(bins, box.first - 1); n < bins.length && bins[n] < last; n += 1) {
        if (bins[n] - drawn < apart) continue;
        drawn = bins[n];
        const x = box.left + (drawn + 0.5 - box.first) * box.cellWidth - wide / 2;
        context.fillRect(x, y + k * part, wide, part);
      }
    });
  });
}

/** P(h = 1 | x) in each bin in view; the largest of several at one pixel. */
function drawTrace(context, box, unit) {
  const last = Math.min(unit.p.length, Math.ceil(box.first + box.width / box.cellWidth));
  const step = Math.max(1, Math.floor(1 / box.cellWidth));
  context.strokeStyle = css('ink');
  context.lineWidth = 1.25;
  context.beginPath();
  for (let bin = Math.floor(box.first); bin < last; bin += step) {
    const x = box.left + (bin - box.first) * box.cellWidth;
    const y = box.top + box.height * (1 - Math.max(...unit.p.subarray(bin, bin + step)));
    context.lineTo(x, y);
    context.lineTo(x + step * box.cellWidth, y);
  }
  context.stroke();
}
