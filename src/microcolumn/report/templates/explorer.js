'use strict';
// The explorers of the page: what is chosen, and who shows it. The data are in the page; nothing is
// loaded, and text from a recording is put in as text alone.
(function () {
  const everything = JSON.parse(document.getElementById('explorers').textContent);
  const element = (id) => document.getElementById('explorer-' + id);
  const writer = (id) => (sentence) => { element(id).textContent = sentence; };
  const announceParameters = writer('parameters-readout'), announceRaster = writer('assemblies-readout');
  const couplings = new HeatMap(element('couplings'), 'J', announceParameters, () => {});
  const weights = new HeatMap(element('weights'), 'W', announceParameters, pickFromMap);
  const raster = new Raster(element('raster'), announceRaster);
  const NO_HIDDEN = 'No model of this experiment has a live hidden unit.';
  /** What is chosen now. */
  let explorer, model, current;

  /** A radio button with its text. */
  function radio(group, text, checked, pick) {
    const label = make('label'), input = make('input');
    Object.assign(input, { type: 'radio', name: group, checked });
    input.addEventListener('change', pick);
    label.append(input, make('span', text));
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
      .flatMap(([name, value]) => [make('dt', name), make('dd', value)]));
    const maps = [couplings, weights];
    maps.forEach((map) => map.update(explorer, model, step));
    const walked = maps.find((map) => map.cursor.on && map.visible);
    announceParameters(walked ? walked.sentence() : 'Point at an entry of a map to read its value here.');
  }

  function showModel(chosen) {
    model = chosen;
    showStep(model.chosen);
  }

  function showHidden(k) {
    const unit = explorer.assemblies.hidden[k], bins = unit.thousandths.length;
    const active = unit.thousandths.filter((_, bin) => isActive(unit, bin)).length;
    element('hidden').querySelectorAll('input')[k].checked = true;
    element('summary').textContent = 'Hidden unit ' + (k + 1) + ' is active (shaded, P > 0.5) in ' +
      active.toLocaleString('en') + ' of these ' + counted(bins, 'bin') +
      '; over the test words its P is ' + number(unit.mean, 2) + ' on average.' +
      (unit.positive.length ? ' Red: ' + weighted(unit.positive.length, 'positive') + '.' : '') +
      (unit.negative.length ? ' Blue: ' + weighted(unit.negative.length, 'negative') + '.' : '');
    announceRaster('Point at a time to see who spikes.');
    raster.update(explorer, unit);
  }

  /** Show a hidden unit of the map in the data, if these are shown with the same model. */
  function pickFromMap(k) {
    const found = explorer.assemblies;
    if (!found) return announceParameters(NO_HIDDEN);
    if (found.model !== model.name || current !== model.chosen || k >= found.hidden.length) {
      return announceParameters('The data below are shown with ' + found.model +
        ' at its chosen penalty; choose these first to pick a hidden unit.');
    }
    showHidden(k);
    return element('hidden').querySelectorAll('input')[k].focus();
  }

  function assembliesLead(found) {
    const windows = explorer.window > 1 ? ' (P belongs to the window that ends in a bin)' : '';
    const some = found.n_live > found.hidden.length
      ? ' The ' + found.hidden.length + ' most variable of ' + found.n_live + ' are listed.' : '';
    return 'The busiest ' + number(found.n_bins * explorer.bin_s, 2) + ' s of ' +
      explorer.recording + ' and the hidden units of ' + found.model +
      ' at its chosen penalty, the most variable first. Pick one to see when it is active' +
      windows + ' and with which units.' + some;
  }

  function showAssemblies() {
    const found = explorer.assemblies, group = element('hidden'), list = make('div');
    group.parentElement.hidden = !found;
    element('assemblies-lead').textContent = found ? assembliesLead(found) : NO_HIDDEN;
    if (!found) return;
    list.append(...found.hidden.map((unit, k) =>
      radio('explorer-hidden', (k + 1) + ': ' + unit.label, k === 0, () => showHidden(k))));
    element('tested').hidden = !found.tested;
    group.replaceChildren(group.firstElementChild, list, element('tested'));
    showHidden(0);
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
        make('option', recording + ', ' + experiment + (nBins > 1 ? ', ' + nBins + ' bins' : ''))));
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
  element('penalty').addEventListener('input', (event) => showStep(Number(event.target.value)));
  fillWhere();
  readColours();
  showExplorer(everything[0]);
  window.addEventListener('resize', () => requestAnimationFrame(redraw));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
  document.documentElement.dataset.explorers = 'ready';
}());
