// Behaviour shared by the team's pages: short forms as dialogs, menus that close. Without this
// script the same forms are pages of their own.
export const $ = (s, of = document) => of.querySelector(s),
  $$ = (s, of = document) => [...of.querySelectorAll(s)];
export const tell = text => {
  const s = $('#status');
  s.textContent = '';
  s.textContent = text;
};

document.addEventListener('click', e => {
  if (e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey) return;
  const link = e.target.closest('a[data-ask]');
  if (link) {
    e.preventDefault();
    link.closest('details.menu')?.removeAttribute('open');
    import('./ask.js').then(
      m => m.ask(link),
      () => location.assign(link.href),
    );
  }
  for (const d of $$('details.menu[open]')) if (!d.contains(e.target)) d.open = false;
});
document.addEventListener('keydown', e => {
  const d = e.key === 'Escape' && e.target.closest?.('details.menu[open]');
  if (d) {
    d.open = false;
    $('summary', d).focus();
  }
});

// These fail only if the page is left meanwhile.
const load = name => import(name).catch(() => {});
if ($('.pager,time[title]')) load('./tables.js');
if ($('[data-copy-text],[data-copy-from]')) load('./copy.js');
if ($('.toast [data-dismiss]')) load('./toast.js');
if ($('a[data-keys=on]'))
  load('./keys.js').then(() => {
    document.documentElement.dataset.keys = 'on';
  });

// The page shown while the server restarts, see worker.js. The version makes it load anew after an update.
const root = document.documentElement.dataset.root;
if ($('.shell'))
  navigator.serviceWorker
    ?.register(root + 'worker.js?v=' + import.meta.url.split('/').at(-2), { scope: root + 'app/' })
    .catch(() => {});
