// One list that switches the page to another recording. Without it, recordings stand below each
// other, folded. An address such as #recording=T6&hidden=h3 leads to one of them, and to a group.
(function () {
  const nav = document.querySelector('nav'), names = JSON.parse(nav.dataset.recordings);
  const parts = all('[data-recording]'), list = made('select', '', { id: 'recording' });
  let chosen = names[0];

  /** Show what is about one recording. */
  function pick(name) {
    chosen = list.value = name;
    for (const part of parts) {
      part.hidden = part.dataset.recording !== name;
      if (part.matches('.pane')) part.open = true;
    }
  }

  /** Tell the explorers what to show. */
  function tell(asked) {
    document.dispatchEvent(new CustomEvent('recording', { detail: asked }));
  }

  function follow() {
    const asked = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    if (!names.includes(asked.recording)) return;
    if (names.length > 1) pick(asked.recording);
    tell(asked);
  }

  if (names.length > 1) {
    const label = made('label', 'Recording ', { class: 'picker' });
    list.append(...names.map((name) => made('option', name)));
    list.addEventListener('change', () => {
      const { scrollY: before } = window, here = list.getBoundingClientRect().top;
      history.replaceState(null, '', '#' + new URLSearchParams({ recording: list.value }));
      pick(list.value);
      tell({ recording: list.value });
      scrollTo({ top: before + list.getBoundingClientRect().top - here, behavior: 'instant' });
    });
    label.append(list);
    nav.prepend(label);
    document.documentElement.classList.add('picking');
    pick(chosen);
  }
  addEventListener('hashchange', follow);
  follow();
  // A link to a part of another recording shows that one first.
  document.addEventListener('unfold', ({ target }) => {
    const part = target.closest('[data-recording][hidden]');
    if (part) {
      pick(part.dataset.recording);
      tell({ recording: part.dataset.recording });
    }
  });
}());
