'use strict';
// Links from tables and figures that name hidden units to these in the raster.

/** Where the page shows a hidden unit of an explorer in the raster: `h3`. */
function addressOf({ recording, experiment }, name) {
  return '#' + new URLSearchParams({ recording, experiment, hidden: name });
}

/** Turn names of hidden units into links, where the raster shows units of the same model. */
function linkGroups(everything) {
  for (const explorer of everything.filter((each) => each.assemblies)) {
    const { groups, hidden } = explorer.assemblies;
    const shown = new Set(hidden.map(({ column }) => 'h' + column));
    const linked = (name) => shown.has(name) ? made('a', name, { href: addressOf(explorer, name),
      title: 'Show ' + name + ' in the raster' }) : name;
    const boxes = all('[data-groups]').filter((box) => box.dataset.groups === groups);
    for (const cell of boxes.flatMap((box) => all('tbody :is(th, td)', box))) {
      const names = cell.textContent.trim().split(' ');
      if (names.every((name) => shown.has(name))) {
        cell.replaceChildren(...names.flatMap((name) => [linked(name), ' ']).slice(0, -1));
      }
    }
    for (const plate of boxes.filter((box) => box.matches('.plate'))) {
      const texts = all('svg text', plate).map((each) => each.textContent.trim());
      const names = [...new Set(texts)].filter((name) => shown.has(name));
      const links = made('span', 'In the raster: ', { class: 'links' });
      links.append(...names.flatMap((name) => [linked(name), ' ']));
      if (names.length) plate.querySelector('.takeaway').append(links);
    }
  }
}
