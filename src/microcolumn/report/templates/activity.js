'use strict';
// When hidden units are on, and spikes coloured by their weights.

/** Whether a hidden unit is on in a bin: P(h = 1 | x) > 0.5. */
function isOn(unit, bin) {
  return unit.thousandths[bin] > 500;
}

/** Stretches in which a hidden unit is on, [first bin, bin after the last] each. */
function stretchesOn(unit) {
  const found = [];
  unit.thousandths.forEach((_, bin) => {
    if (!isOn(unit, bin)) return;
    if (bin > 0 && isOn(unit, bin - 1)) found[found.length - 1][1] = bin + 1;
    else found.push([bin, bin + 1]);
  });
  return found;
}

/** First of the `span` bins in which a hidden unit is on most. */
function fullest(unit, span) {
  const values = unit.thousandths;
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

/** Spikes of all rows, those in view. */
function drawSpikes(context, box, spikes, colours) {
  const wide = Math.max(1.2, box.cellWidth * 0.75), high = Math.max(1, box.cellHeight * 0.8);
  const last = box.first + box.width / box.cellWidth;
  spikes.forEach((bins, row) => {
    const y = box.top + (row + 0.1) * box.cellHeight, part = high / colours[row].length;
    const seen = bins.filter((bin) => bin + 1 > box.first && bin < last);
    colours[row].forEach((colour, k) => {
      context.fillStyle = colour;
      for (const bin of seen) {
        const x = box.left + (bin + 0.5 - box.first) * box.cellWidth - wide / 2;
        context.fillRect(x, y + k * part, wide, part);
      }
    });
  });
}

/** P(h = 1 | x) in each bin. */
function drawTrace(context, box, unit) {
  context.strokeStyle = css('ink');
  context.lineWidth = 1.25;
  context.beginPath();
  unit.thousandths.forEach((value, bin) => {
    const x = box.left + (bin - box.first) * box.cellWidth;
    const y = box.top + box.height * (1 - value / 1000);
    context.lineTo(x, y);
    context.lineTo(x + box.cellWidth, y);
  });
  context.stroke();
}
