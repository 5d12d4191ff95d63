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
  const NO_HIDDEN = element('none').textContent;
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

  /** What the list holds. */
  function assembliesLead({ hidden: { length: n }, n_live: all, model: name }) {
    return 'Groups: hidden units of ' + name + (all > n ? ', the first ' + n + ' of ' + all : '');
  }

  function showAssemblies() {
    const found = explorer.assemblies;
    element('hidden').parentElement.hidden = !found;
    element('none').hidden = Boolean(found);
    if (!found) return;
    element('assemblies-lead').textContent = assembliesLead(found);
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

  /** Show a recording, by the experiment that is asked for or else by the answer's. */
  function showRecording({ recording, experiment, hidden }) {
    const own = everything.filter((each) => each.recording === recording), lists = selects();
    const found = own.find((each) => each.experiment === experiment) || own[0];
    element('parameters').hidden = element('assemblies').hidden = !found;
    if (!found) return;
    for (const list of lists) {
      list.replaceChildren(...own.map((each) => made('option', each.experiment)));
      list.selectedIndex = own.indexOf(found);
      list.parentElement.hidden = own.length === 1;
    }
    if (found !== explorer) showExplorer(found);
    if (hidden) showGroup(hidden);
  }

  const selects = () => [element('where'), element('where-data')];

  /** Show a hidden unit in the raster, by its name. */
  function showGroup(name) {
    const at = list.units.findIndex(({ column }) => 'h' + column === name);
    if (at < 0) return;
    list.only(at);
    document.getElementById('raster').scrollIntoView();
    list.boxes[at].focus({ preventScroll: true });
  }

  function redraw() {
    readColours();
    couplings.draw();
    weights.draw();
    drawCurve(element('curve'), model, current);
    raster.draw();
  }

  const buttons = { 'zoom-out': (aloud) => raster.zoom(0.5, aloud),
    'zoom-in': (aloud) => raster.zoom(2, aloud), 'show-all': (aloud) => raster.showAll(aloud),
    previous: () => raster.move(...raster.next(-1), true), next: () => raster.move(...raster.next(1), true) };
  for (const [name, act] of Object.entries(buttons)) {
    // A click without a pointer comes from the keyboard.
    element(name).addEventListener('click', ({ detail }) => act(detail === 0));
  }
  rove(element('toolbar'), all('button', element('toolbar')));
  element('penalty').addEventListener('input', (event) => showStep(Number(event.target.value)));
  for (const each of selects()) {
    each.addEventListener('change', () => {
      showRecording({ recording: explorer.recording, experiment: each.value });
    });
  }
  document.addEventListener('recording', ({ detail }) => showRecording(detail));
  readColours();
  showRecording(everything[0]);
  linkGroups(everything);
  window.addEventListener('resize', () => requestAnimationFrame(redraw));
  element('parameters').closest('details').addEventListener('toggle', redraw); // it has a size now
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  document.documentElement.dataset.explorers = 'ready';
}());
