'use strict';
// Which part of a stretch of bins is in view, and the gestures that change it.

/** A view of some bins of a stretch; it never leaves the stretch. */
class View {
  constructor() {
    Object.assign(this, { first: 0, span: 1, bins: 1, least: 1 });
  }

  /** A stretch of so many bins, of which at least `least` are in view; all are at first. */
  stretch(bins) {
    Object.assign(this, { first: 0, span: bins, bins, least: 1 });
  }

  /** Show `span` bins from `first`, or the nearest that is possible; whether anything changed. */
  show(first, span) {
    const before = this.first, spanBefore = this.span;
    this.span = Math.max(Math.min(this.least, this.bins), Math.min(this.bins, span));
    this.first = Math.max(0, Math.min(this.bins - this.span, first));
    return this.first !== before || this.span !== spanBefore;
  }

  /** All bins. */
  showAll() {
    return this.show(0, this.bins);
  }

  /** Make bins `factor` times as wide; the place `at`, in bins, stays where it is. */
  zoom(factor, at) {
    const span = Math.max(Math.min(this.least, this.bins), Math.min(this.bins, this.span / factor));
    return this.show(at - (at - this.first) * span / this.span, span);
  }

  /** Move by some bins. */
  pan(bins) {
    return this.show(this.first + bins, this.span);
  }

  /** Put a place in the middle. */
  centre(at) {
    return this.show(at - this.span / 2, this.span);
  }

  /** Have a bin in view; a near one at the edge, another in the middle. */
  reveal(bin) {
    if (bin >= this.first && bin + 1 <= this.first + this.span) return false;
    const ahead = bin + 1 - this.first - this.span, behind = this.first - bin;
    if (ahead > this.span / 4 || behind > this.span / 4) return this.centre(bin + 0.5);
    return this.pan(ahead > 0 ? ahead : -behind);
  }
}

/** Middle of the pointers that are down, and their mean distance from it: 0 of a single one. */
function pinchOf(pointers) {
  const places = [...pointers.values()], mean = (values) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(places.map((place) => place.x)), y = mean(places.map((place) => place.y));
  return { x, spread: mean(places.map((place) => Math.hypot(place.x - x, place.y - y))) };
}

/**
 * Let wheel, drag, pinch and double click change a view.
 *
 * The wheel alone scrolls the page unless the canvas has the focus; there it zooms, and scrolls
 * the page on where there is nothing left to zoom. Fingers that move up and down scroll the page
 * (`touch-action` in explorer.css).
 *
 * @param {HTMLCanvasElement} canvas - With a `box`: `left` and `width` of the plot, and `strip`,
 * the height from which on an overview of all bins is drawn.
 * @param {View} view
 * @param {function} redraw - Called after each change.
 */
function addGestures(canvas, view, redraw) {
  const pointers = new Map();
  let onStrip = false;
  const perPixel = () => view.span / canvas.box.width;
  const binAt = (x) => view.first + (x - canvas.box.left) * perPixel();
  const stripBins = (pixels) => pixels * view.bins / canvas.box.width;

  canvas.addEventListener('wheel', (event) => {
    const zooms = event.ctrlKey || event.metaKey;
    if (!zooms && document.activeElement !== canvas) return;
    const pixels = event.deltaMode === 0 ? 1 : 30;
    const aside = !zooms && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY));
    const changed = aside
      ? view.pan((event.deltaX || event.deltaY) * pixels * perPixel())
      : view.zoom(2 ** (-event.deltaY * pixels / 150), binAt(event.offsetX));
    if (changed || zooms) event.preventDefault();
    if (changed) redraw();
  }, { passive: false });

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const { offsetX: x, offsetY: y } = event;
    pointers.set(event.pointerId, { x, y });
    canvas.setPointerCapture(event.pointerId);
    onStrip = y >= canvas.box.strip;
    if (onStrip && view.centre(stripBins(x - canvas.box.left))) redraw();
  });

  canvas.addEventListener('pointermove', (event) => {
    if (!pointers.has(event.pointerId)) return;
    const before = pinchOf(pointers), { offsetX: x, offsetY: y } = event;
    pointers.set(event.pointerId, { x, y });
    const after = pinchOf(pointers), right = after.x - before.x;
    const zoomed = !onStrip && before.spread > 0
      && view.zoom(after.spread / before.spread, binAt(before.x));
    const moved = view.pan(onStrip ? stripBins(right) : -right * perPixel());
    if (zoomed || moved) redraw();
  });

  for (const end of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  canvas.addEventListener('dblclick', (event) => {
    if (event.offsetY < canvas.box.strip && view.showAll()) redraw();
  });
}
