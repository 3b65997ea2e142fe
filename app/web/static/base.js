// Behaviour shared by the team's pages: short forms as dialogs, copy buttons, menus
// that close. Without this script the same forms are pages of their own.
const $ = (s, of = document) => of.querySelector(s),
  $$ = (s, of = document) => [...of.querySelectorAll(s)];
const tell = text => {
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
  const button = e.target.closest('[data-copy-text],[data-copy-from]');
  if (button) copy(button);
  for (const d of $$('details.menu[open]')) if (!d.contains(e.target)) d.open = false;
});
document.addEventListener('keydown', e => {
  const d = e.key === 'Escape' && e.target.closest?.('details.menu[open]');
  if (d) {
    d.open = false;
    $('summary', d).focus();
  }
});

async function copy(button) {
  try {
    const from = button.dataset.copyFrom;
    const text = from
      ? await fetch(from, { headers: { 'X-Requested-With': 'fetch' } }).then(answer =>
          answer.ok ? answer.text() : Promise.reject(answer),
        )
      : button.dataset.copyText;
    await navigator.clipboard.writeText(text);
    const before = (button.dataset.before ??= button.textContent); // so that a second click doesn't save "Copied"
    button.textContent = button.dataset.done || '✓';
    tell(button.textContent);
    setTimeout(() => {
      button.textContent = before;
    }, 2000);
  } catch {
    button.previousElementSibling?.select?.();
  }
}
if (navigator.clipboard) for (const b of $$('[data-copy-text],[data-copy-from]')) b.hidden = false;

// These fail only if the page is left meanwhile.
const load = name => import(name).catch(() => {});
if ($('.pager,time[title]')) load('./tables.js');
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

// A notice at the edge of the window can be closed. One without Undo goes away by itself, unless it
// is being read.
const toast = $('.toast:has([data-dismiss])');
if (toast) {
  const close = $('[data-dismiss]', toast),
    gone = () => toast.remove();
  close.hidden = false;
  close.addEventListener('click', () => {
    gone();
    $('main').focus({ preventScroll: true });
  });
  const later = () => setTimeout(() => (toast.matches(':hover,:focus-within') ? later() : gone()), 10000);
  if (!$('form', toast)) later();
}
