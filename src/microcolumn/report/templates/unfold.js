// What is folded away is printed too.
addEventListener('beforeprint', () => {
  for (const folded of all('details:not([open], .code)')) {
    folded.open = true;
    addEventListener('afterprint', () => { folded.open = false; }, { once: true });
  }
});
