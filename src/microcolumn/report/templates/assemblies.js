'use strict';
// The list of hidden units: which are chosen, in which colour, and what is said of them.

/** Check boxes for the hidden units of a model, of which a few are shown in the raster. */
class AssemblyList {
  /**
   * @param {HTMLFieldSetElement} group - Its legend stays; boxes come after it.
   * @param {HTMLElement} summary - Says what is chosen, and in which colours.
   * @param {Raster} raster
   */
  constructor(group, summary, raster) {
    Object.assign(this, { group, summary, raster, slots: [] });
  }

  /** List the hidden units of a recording, and show the first. */
  show(explorer) {
    const list = made('div');
    this.units = explorer.assemblies.hidden;
    this.slots = ASSEMBLY_COLOURS.map(() => null);
    this.boxes = this.units.map((unit, k) => {
      const box = made('input', '', { type: 'checkbox' });
      box.addEventListener('change', () => this.set(k, box.checked));
      list.append(this.row(unit, box));
      return box;
    });
    this.group.querySelector('div')?.remove();
    this.group.firstElementChild.after(list);
    rove(list, this.boxes, ['ArrowUp', 'ArrowDown']);
    this.raster.open(explorer);
    this.only(0);
  }

  /** A box with the name of a hidden unit and what is known of it. */
  row(unit, box) {
    const row = made('label'), text = made('span');
    const name = 'h' + unit.column + (unit.verdict ? ': ' + unit.verdict : '');
    const units = counted(unit.members.length, 'unit') +
      (unit.negative.length ? ', opposes ' + unit.negative.length : '') +
      '; on in ' + number(100 * unit.mean, 2) + '\u00a0% of bins';
    text.append(made('b', name), ...[...unit.about, units].map((line) => made('small', line)));
    row.append(box, text);
    return row;
  }

  /** Choose one hidden unit and no other, and look where it is on most. */
  only(k) {
    this.slots.fill(null);
    this.set(k, true);
    this.raster.lookAt(this.units[k]);
  }

  /**
   * Choose a hidden unit besides others, or no longer. The first ones have a colour of their own,
   * that of the figure of assemblies, unless another one has taken it; others the last free one.
   */
  set(k, chosen) {
    if (chosen) this.slots[this.slots[k] === null ? k : this.slots.lastIndexOf(null)] = k;
    else this.slots[this.slots.indexOf(k)] = null;
    const full = !this.slots.includes(null);
    this.boxes.forEach((box, at) => {
      const slot = this.slots.indexOf(at);
      box.checked = slot >= 0;
      box.disabled = full && slot < 0;
      box.parentElement.style.setProperty('--colour',
        slot < 0 ? 'transparent' : 'var(--' + ASSEMBLY_COLOURS[slot] + ')');
    });
    this.raster.choose(this.slots.flatMap((at, slot) =>
      at === null ? [] : [{ unit: this.units[at], colour: ASSEMBLY_COLOURS[slot] }]));
    this.summarise();
  }

  /** When the chosen hidden units are on, and what the colours mean. */
  summarise() {
    const { chosen } = this.raster, alone = chosen.length === 1;
    const lines = chosen.map(({ unit, colour }) => {
      const bins = unit.p.length, line = made('p');
      const on = unit.on.reduce((sum, [start, stop]) => sum + stop - start, 0);
      line.style.setProperty('--colour', 'var(--' + colour + ')');
      line.append(made('b', 'h' + unit.column), made('span', 'on in ' +
        on.toLocaleString('en') + ' of ' + counted(bins, 'bin')), scale(unit.largest, !alone));
      return line;
    });
    const note = !chosen.length ? 'Choose a hidden unit to see when it is on.' : alone
      ? 'Shaded: on, P\u00a0>\u00a00.5. Spikes are coloured by the weight of their unit; grey: no weight.'
      : 'Shaded: on, P\u00a0>\u00a00.5. Spikes have the colour of the hidden unit that their unit belongs ' +
        'to, fuller the larger its weight; units of several have a colour for each; grey: all others.';
    this.summary.replaceChildren(...lines, made('p', note));
  }
}

/** A scale of weights in nats: of either sign or, in the colour of its hidden unit, positive. */
function scale(largest, own) {
  const whole = made('span', '', { class: 'explorer-scale' });
  const bar = made('span', '', { class: 'explorer-bar ' + (own ? 'explorer-own' : 'explorer-signed') });
  whole.append(made('span', own ? '0' : number(-largest, 2)), bar,
    made('span', number(largest, 2) + ' nats'));
  return whole;
}
