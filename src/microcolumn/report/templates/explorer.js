'use strict';
// The explorers of the page: what is chosen, and who shows it. The data are in the page; nothing is
// loaded, and text from a recording is put in as text alone.
(function () {
  const everything = JSON.parse(document.getElementById('explorers').textContent);
  const element = (id) => document.getElementById('explorer-' + id);
  /** What is read beside a plot; only what the keyboard did is spoken too. */
  const writer = (id) => (sentence, aloud = false) => {
    element(id + '-readout').textContent = sentence;
    if (aloud) element(id + '-spoken').textContent = sentence;
  };
  const announceParameters = writer('parameters'), announceRaster = writer('assemblies');
  const couplings = new HeatMap(element('couplings'), 'J', announceParameters, () => {});
  const weights = new HeatMap(element('weights'), 'W', announceParameters, pickFromMap);
  const raster = new Raster(element('raster'), announceRaster,
    (view) => { element('view').textContent = view; });
  const list = new AssemblyList(element('hidden'), element('summary'), raster);
  const NO_HIDDEN = 'No model of this experiment has a live hidden unit.';
  /** What is chosen now. */
  let explorer, model, current;

  /** A radio button with its text. */
  function radio(group, text, checked, pick) {
    const label = made('label'), input = made('input');
    Object.assign(input, { type: 'radio', name: group, checked });
    input.addEventListener('change', pick);
    label.append(input, made('span', text));
    return label;
  }

  function showStep(k) {
    const step = model.steps[k], slider = element('penalty');
    const text = step.l1 + (k === model.chosen ? ', chosen by validation' : '');
    current = k;
    Object.assign(slider, { max: model.steps.length - 1, value: k });
    slider.setAttribute('aria-valuetext', text);
    element('penalty-text').textContent = 'λ = ' + text;
    drawCurve(element('curve'), model, k);
    element('facts').replaceChildren(...factsOf(explorer, model, step)
      .flatMap(([name, value]) => [made('dt', name), made('dd', value)]));
    const maps = [couplings, weights];
    maps.forEach((map) => map.update(explorer, model, step));
    const walked = maps.find((map) => map.cursor.on && map.visible);
    announceParameters(walked ? walked.sentence() : 'Point at an entry of a map to read its value here.');
  }

  function showModel(chosen) {
    model = chosen;
    showStep(model.chosen);
  }

  /** Show a hidden unit of the map in the data, if these are shown with the same model. */
  function pickFromMap(k) {
    const found = explorer.assemblies, column = model.steps[current].hidden[k];
    if (!found) return announceParameters(NO_HIDDEN, true);
    const same = found.model === model.name && current === model.chosen;
    const at = same ? found.hidden.findIndex((unit) => unit.column === column) : -1;
    if (at < 0) {
      return announceParameters('The raster is shown with ' + (same ? 'other hidden units of ' : '') +
        found.model + ' at its chosen penalty; choose these first to pick a hidden unit.', true);
    }
    list.only(at);
    return list.boxes[at].focus();
  }

  function assembliesLead(found) {
    const first = 'h' + found.hidden[0].column, n = found.hidden.length;
    const windows = explorer.window > 1 ? ' P belongs to the window that ends in a bin.' : '';
    const order = found.ranked ? 'assemblies first, by what is lost without them over its error'
      : 'the strongest first';
    const some = found.n_live > n ? ' The first ' + n + ' of ' + found.n_live + ' are listed.' : '';
    return 'The ' + number(found.n_bins * explorer.bin_s, 2) + ' s of ' + explorer.recording +
      ' in which ' + first + ' is on most often, and the hidden units of ' + found.model +
      ' at its chosen penalty: ' + order + '. Choose up to six to see when they are on and with ' +
      'which units.' + windows + some;
  }

  function showAssemblies() {
    const found = explorer.assemblies;
    element('hidden').parentElement.hidden = !found;
    element('assemblies-lead').textContent = found ? assembliesLead(found) : NO_HIDDEN;
    if (!found) return;
    element('known').hidden = !found.ranked;
    element('tested').hidden = !found.tested;
    list.show(explorer);
    announceRaster('Point at a time to see who spikes.');
  }

  function showExplorer(chosen) {
    explorer = chosen;
    const group = element('models'), best = explorer.assemblies && explorer.assemblies.model;
    const first = explorer.models.find((each) => each.name === best) || explorer.models[0];
    group.replaceChildren(group.firstElementChild, ...explorer.models.map((each) => {
      const label = radio('explorer-model', each.name, each === first, () => showModel(each));
      label.style.setProperty('--colour', 'var(--' + each.model.toLowerCase() + ')');
      return label;
    }));
    for (const { cursor } of [couplings, weights, raster]) {
      Object.assign(cursor, { row: 0, column: 0, on: false });
    }
    showModel(first);
    showAssemblies();
  }

  /** Recordings and experiments to choose from in both explorers, if there are several. */
  function fillWhere() {
    const lists = [element('where'), element('where-data')];
    for (const list of lists) {
      list.append(...everything.map(({ recording, experiment, window: nBins }) =>
        made('option', recording + ', ' + experiment + (nBins > 1 ? ', ' + nBins + ' bins' : ''))));
      list.parentElement.hidden = everything.length === 1;
      list.addEventListener('change', () => {
        const { selectedIndex } = list;
        lists.forEach((each) => { each.selectedIndex = selectedIndex; });
        showExplorer(everything[selectedIndex]);
      });
    }
  }

  function redraw() {
    readColours();
    couplings.draw();
    weights.draw();
    drawCurve(element('curve'), model, current);
    raster.draw();
  }

  element('parameters').hidden = element('assemblies').hidden = false;
  const buttons = { 'zoom-out': (aloud) => raster.zoom(0.5, aloud),
    'zoom-in': (aloud) => raster.zoom(2, aloud), 'show-all': (aloud) => raster.showAll(aloud),
    previous: () => raster.move(...raster.next(-1), true), next: () => raster.move(...raster.next(1), true) };
  for (const [name, act] of Object.entries(buttons)) {
    // A click without a pointer comes from the keyboard.
    element(name).addEventListener('click', ({ detail }) => act(detail === 0));
  }
  rove(element('toolbar'), all('button', element('toolbar')));
  element('penalty').addEventListener('input', (event) => showStep(Number(event.target.value)));
  fillWhere();
  readColours();
  showExplorer(everything[0]);
  window.addEventListener('resize', () => requestAnimationFrame(redraw));
  element('parameters').closest('details').addEventListener('toggle', redraw); // it has a size now
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  document.documentElement.dataset.explorers = 'ready';
}());
