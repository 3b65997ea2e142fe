// Lists of documents: count of selected rows, row menus, optional single-key shortcuts.
const $ = (s, of = document) => of.querySelector(s),
  $$ = (s, of = document) => [...of.querySelectorAll(s)];
const boxes = () => $$('.documents input[name=id]'),
  rows = () => $$('.documents tbody tr');

// The bar of bulk actions. The rows may be replaced, see search.js.
const show = () => {
  const count = $('[data-count]'),
    n = boxes().filter(b => b.checked).length;
  if (!count) return;
  const words = JSON.parse(count.dataset.words)['.chosen'],
    plural = new Intl.PluralRules(document.documentElement.lang);
  count.textContent = n ? (words[plural.select(n)] || words.other).replace('{n}', n) : '';
  for (const e of $$('[data-all]')) {
    e.checked = n > 0 && n === boxes().length;
    e.indeterminate = n > 0 && !e.checked;
  }
};
document.addEventListener('change', e => {
  if ('all' in e.target.dataset) for (const b of boxes()) b.checked = e.target.checked;
  if (e.target.name === 'id' || 'all' in e.target.dataset) show();
});
document.addEventListener('reset', () => setTimeout(show));
document.addEventListener('rows', show);
addEventListener('pageshow', show);
show();

// Fetch a row's menu when it opens: the server decides what it offers.
document.addEventListener('click', async e => {
  const link = e.target.closest('a.more');
  if (!link || e.button || e.metaKey || e.ctrlKey || e.shiftKey) return;
  e.preventDefault();
  if (link.dataset.opening) return;
  link.dataset.opening = 'yes';
  const row = link.closest('tr');
  try {
    const answer = await fetch(
      document.documentElement.dataset.root +
        'app/documents/' +
        row.dataset.id +
        '/menu?next=' +
        encodeURIComponent(location.pathname + location.search),
      { headers: { 'X-Requested-With': 'fetch' } },
    );
    if (!answer.ok) throw new Error(answer.status);
    const menu = new DOMParser().parseFromString(await answer.text(), 'text/html').body.firstElementChild;
    const here = [link, document.body].includes(document.activeElement); // focus hasn't moved since
    link.replaceWith(menu);
    if (here) $('a,button', menu)?.focus();
    menu.addEventListener('toggle', () => {
      if (!menu.open) {
        menu.replaceWith(link);
        if (document.activeElement === document.body) link.focus();
      }
    });
  } catch {
    location.assign(link.href);
  } finally {
    delete link.dataset.opening;
  }
});

// j and k move, x selects, Enter opens. Never in an input.
if ($('a[data-keys=on]'))
  document.addEventListener('keydown', e => {
    if (
      e.ctrlKey ||
      e.metaKey ||
      e.altKey ||
      e.target.closest('input:not([type=checkbox]),textarea,select,dialog,details[open]')
    )
      return;
    const all = rows(),
      at = all.findIndex(r => r.contains(document.activeElement));
    const go = n => {
      const row = all[Math.max(0, Math.min(all.length - 1, n))];
      for (const r of all) r.classList.toggle('at', r === row);
      row && $('th a', row).focus();
    };
    if (e.key === 'j') go(at + 1);
    else if (e.key === 'k') go(at < 0 ? 0 : at - 1);
    else if (e.key === 'x' && at >= 0) $('input[name=id]', all[at])?.click();
    else return;
    e.preventDefault();
  });
