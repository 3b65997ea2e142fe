// Behaviour shared by the team's pages: short forms as dialogs, copy buttons, menus
// that close. Without this script the same forms are pages of their own.
const $ = (s, of = document) => of.querySelector(s), $$ = (s, of = document) => [...of.querySelectorAll(s)];
const tell = text => { const s = $('#status'); s.textContent = ''; s.textContent = text; };

// Opens a link to a short form as a dialog. If several links are clicked while the
// server is slow, the last one wins.
let asked;
async function ask(link) {
  const mine = asked = {};
  const html = await fetch(link.href, { credentials: 'same-origin' }).then(answer => answer.ok ? answer.text() : '').catch(() => '');
  if (mine !== asked) return;
  const part = $('.ask', new DOMParser().parseFromString(html, 'text/html'));
  if (!part) return location.assign(link.href);
  const box = document.createElement('dialog'), title = $('h1', part);
  title.id = 'dialog-title';
  box.setAttribute('aria-labelledby', title.id);
  box.append(part);
  document.body.append(box);
  const from = link.closest('details.menu')?.firstElementChild || link;
  // The close event fires a frame late; don't steal focus that has already moved.
  const back = () => { if (document.activeElement === document.body) (from.isConnected ? from : $('main')).focus({ preventScroll: true }); };
  box.addEventListener('close', () => { box.remove(); back(); });
  box.addEventListener('click', e => { if (e.target.closest('[data-close]')) { e.preventDefault(); box.close(); } });
  box.showModal();
  $('input:not([type=hidden]),textarea', box)?.focus();
}

document.addEventListener('click', e => {
  if (e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey) return;
  const link = e.target.closest('a[data-ask]');
  if (link) { e.preventDefault(); link.closest('details.menu')?.removeAttribute('open'); ask(link); }
  const button = e.target.closest('[data-copy-text],[data-copy-from]');
  if (button) copy(button);
  for (const d of $$('details.menu[open]')) if (!d.contains(e.target)) d.open = false;
});
document.addEventListener('keydown', e => {
  const d = e.key === 'Escape' && e.target.closest?.('details.menu[open]');
  if (d) { d.open = false; $('summary', d).focus(); }
});

async function copy(button) {
  try {
    const from = button.dataset.copyFrom;
    const text = from ? await fetch(from, { headers: { 'X-Requested-With': 'fetch' } }).then(answer => answer.ok ? answer.text() : Promise.reject(answer)) : button.dataset.copyText;
    await navigator.clipboard.writeText(text);
    const before = button.dataset.before ??= button.textContent; // so that a second click doesn't save "Copied"
    button.textContent = button.dataset.done || '✓';
    tell(button.textContent);
    setTimeout(() => { button.textContent = before; }, 2000);
  } catch { button.previousElementSibling?.select?.(); }
}
if (navigator.clipboard) for (const b of $$('[data-copy-text],[data-copy-from]')) b.hidden = false;

if ($('.pager,td time')) import('./tables.js');
