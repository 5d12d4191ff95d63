'use strict';
// Validation scores along the path of penalties.

/** Edges of the curve in CSS pixels; the slider below begins and ends at the same places. */
const CURVE = { left: 44, top: 24, bottom: 100, height: 120 };

/** Heights of scores between the edges; those far below all others are not drawn to scale. */
function scoreHeights(scores) {
  const most = Math.max(...scores);
  const least = Math.max(Math.min(...scores), most - 2 * Math.abs(most));
  const scale = (CURVE.bottom - 10 - CURVE.top) / (most - least || 1);
  const height = (score) => CURVE.bottom - 10 - scale * Math.max(0, score - least);
  return { least, most, height };
}

/** Validation score against the penalty, with numbers on both axes. */
function drawCurve(place, model, current) {
  const width = place.clientWidth, { steps } = model;
  const known = [...steps.keys()].filter((k) => steps[k].score !== null);
  const scale = scoreHeights(known.map((k) => steps[k].score)), { least, height } = scale;
  place.replaceChildren(made('p', curveTitle(steps, known, least)));
  if (!width) return;
  const root = makeSvg(place, 'svg', { viewBox: '0 0 ' + width + ' ' + CURVE.height, role: 'img',
    'aria-label': 'Validation score in bits/s against the penalty λ' });
  const inner = width - CURVE.left - 16;
  const x = (k) => CURVE.left + 8 + inner * (steps.length > 1 ? k / (steps.length - 1) : 0.5);
  const colour = 'var(--' + model.model.toLowerCase() + ')';
  drawPenalties(root, steps, x, width);
  if (!known.length) return;
  drawScores(root, scale, width);
  makeSvg(root, 'polyline', { fill: 'none', stroke: colour, 'stroke-width': 1.5,
    points: known.map((k) => x(k) + ',' + height(steps[k].score)).join(' ') });
  for (const k of known) {
    const { score, error, converged } = steps[k], y = height(score);
    const edge = (value) => Math.max(2, height(value));
    if (error !== null && score >= least) makeSvg(root, 'line', { x1: x(k), x2: x(k), stroke: colour,
      y1: edge(score + error), y2: edge(score - error) });
    makeSvg(root, 'circle', { cx: x(k), cy: y, r: k === current ? 6 : 3, stroke: colour,
      fill: converged ? colour : 'var(--paper)' });
    if (score < least) makeSvg(root, 'text', { x: x(k) + 6, y: y + 4 }, '\u2193');
    if (k === model.chosen) markChosen(root, x(k), y, width);
  }
}

/** The penalties under their points, as many as there is space for; the ends first. */
function drawPenalties(root, steps, x, width) {
  const { left, bottom } = CURVE, taken = [], last = steps.length - 1;
  makeSvg(root, 'line', { x1: left, x2: width, y1: bottom, y2: bottom, class: 'explorer-rule' });
  makeSvg(root, 'text', { x: 0, y: bottom + 16 }, 'λ');
  for (const k of new Set([0, last, ...steps.keys()])) {
    const text = String(Number(steps[k].l1.toPrecision(2))), half = 3.4 * text.length + 3;
    const middle = Math.max(12 + half, Math.min(x(k), width - half + 3));
    makeSvg(root, 'line', { x1: x(k), x2: x(k), y1: bottom, y2: bottom + 4, class: 'explorer-rule' });
    if (taken.some(([at, wide]) => Math.abs(at - middle) < wide + half)) continue;
    taken.push([middle, half]);
    makeSvg(root, 'text', { x: middle, y: bottom + 16, 'text-anchor': 'middle',
      class: 'explorer-tick' }, text);
  }
}

/** Round scores along the axis. */
function drawScores(root, { least, most, height }, width) {
  const step = least < most ? roundStep(most - least, 5) : most, { left } = CURVE;
  const lowest = least < most ? Math.ceil(least / step) * step : most;
  for (let score = lowest; score <= most + step / 1e6; score += step || Infinity) {
    const y = height(score);
    makeSvg(root, 'line', { x1: left, x2: width, y1: y, y2: y, class: 'explorer-rule' });
    makeSvg(root, 'text', { x: left - 6, y: y + 4, 'text-anchor': 'end', class: 'explorer-tick' },
      number(score));
  }
}

/** What the curve shows. */
function curveTitle(steps, known, least) {
  if (!known.length) return 'Validation score is unknown';
  const some = (holds) => known.some((k) => holds(steps[k]));
  return 'Validation score (bits/s), ± one standard error' +
    (some((step) => step.score < least) ? '; \u2193 not to scale' : '') +
    (some((step) => !step.converged) ? '; hollow: log Z not converged' : '');
}

/** A ring around the chosen penalty, and the word, which stays within the curve's width. */
function markChosen(root, x, y, width) {
  makeSvg(root, 'circle', { cx: x, cy: y, r: 9, fill: 'none', stroke: 'var(--ink)' });
  const anchor = x > width - 30 ? 'end' : 'middle';
  makeSvg(root, 'text', { x: anchor === 'end' ? width : x, y: y > 40 ? y - 14 : y + 21,
    'text-anchor': anchor, class: 'explorer-chosen' }, 'chosen');
}

/** Numbers of a model at one penalty, [name, value] each. */
function factsOf(explorer, model, step) {
  const error = step.error === null ? '' : ' ± ' + scoreText(step.error);
  const doubt = step.converged ? '' : ', not converged, so that the score may be too good';
  const facts = [['Validation score', scoreText(step.score) + error + ' bits/s, split '
    + explorer.split], ['log Z', step.method + doubt]];
  const n = explorer.units.length * explorer.window;
  if (step.W) facts.push(['Hidden units in use', step.hidden.length + ' of ' + model.n_hidden]);
  if (step.J) facts.push(['Couplings other than zero',
    step.J.total.toLocaleString('en') + ' of ' + (n * (n - 1) / 2).toLocaleString('en')]);
  return facts;
}
