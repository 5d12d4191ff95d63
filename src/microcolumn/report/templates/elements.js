'use strict';
// Elements of the page: how scripts find and make them, and how the focus moves among them. Text
// from a recording goes in as text alone.

/** All elements that a selector finds. */
function all(selector, within = document) {
  return [...within.querySelectorAll(selector)];
}

/** A new element with text and attributes. */
function made(tag, text = '', attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** A new button that does something. */
function button(text, act, attributes = {}) {
  const element = made('button', text, { type: 'button', ...attributes });
  element.addEventListener('click', () => act(element));
  return element;
}

/** Let some elements in a box be one stop of the focus; two keys lead from each to its neighbours,
 * past those that are disabled. */
function rove(box, stops, [back, on] = ['ArrowLeft', 'ArrowRight']) {
  const stopAt = (chosen) => stops.forEach((each) => { each.tabIndex = each === chosen ? 0 : -1; });
  stopAt(stops[0]);
  box.addEventListener('focusin', ({ target }) => {
    if (stops.includes(target)) stopAt(target);
  });
  box.addEventListener('keydown', (event) => {
    const step = { [on]: 1, [back]: -1 }[event.key];
    if (!step || !stops.includes(event.target) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const open = stops.filter((each) => !each.disabled), n = open.length;
    open[(open.indexOf(event.target) + step + n) % n].focus();
  });
}

const factsOfPlates = new WeakMap();
/** What the page knows of a figure: its size and points; see _pictures.py. */
function about(plate) {
  if (!factsOfPlates.has(plate)) {
    const script = plate.querySelector('script[type="application/json"]');
    factsOfPlates.set(plate, JSON.parse(script.textContent));
  }
  return factsOfPlates.get(plate);
}
