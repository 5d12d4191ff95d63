// A link to what is folded away unfolds it.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.dispatchEvent(new Event('unfold', { bubbles: true }));
  const own = target.matches('section') ? target.querySelector(':scope > details') : target;
  for (let each = own ?? target; each; each = each.parentElement) {
    if (each.matches('details:not(.menu)')) each.open = true;
  }
  target.scrollIntoView();
}
addEventListener('hashchange', unfold);
document.addEventListener('click', ({ target }) => {
  // A link to where one is already changes no address.
  if (target.closest('a[href^="#"]')?.hash === location.hash) unfold();
});
unfold();
