// The menu shows where one is. Where there is no space beside the text, it is a line at the top of
// the window that unfolds.
(function () {
  const FOLDS = matchMedia('screen and (max-width: 78rem)');
  const menu = document.querySelector('.menu'), here = menu.querySelector('.here');
  const links = all('a', menu);
  const sections = links.map((link) => document.querySelector(link.getAttribute('href')));
  let waiting = false;

  function mark() {
    waiting = false;
    const line = innerHeight / 4, { scrollHeight } = document.documentElement;
    const atEnd = scrollY > 0 && scrollY + innerHeight >= scrollHeight - 2;
    const passed = sections.filter((section) => section.getBoundingClientRect().top <= line);
    const current = atEnd ? sections.length - 1 : Math.max(0, passed.length - 1);
    if (links[current].getAttribute('aria-current')) return;
    links.forEach((link, k) => {
      if (k === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
    here.textContent = ': ' + links[current].textContent;
  }

  function fold() {
    menu.open = !FOLDS.matches;
  }

  for (const event of ['scroll', 'resize']) {
    addEventListener(event, () => {
      if (!waiting) requestAnimationFrame(mark);
      waiting = true;
    }, { passive: true });
  }
  menu.addEventListener('click', (event) => { if (event.target.closest('a')) fold(); });
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !FOLDS.matches || !menu.open) return;
    fold();
    menu.querySelector('summary').focus();
  });
  document.addEventListener('pointerdown', (event) => {
    if (FOLDS.matches && !menu.contains(event.target)) fold();
  });
  FOLDS.addEventListener('change', fold);
  menu.parentElement.classList.add('follows');
  fold();
  mark();
}());
