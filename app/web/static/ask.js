// Opens a link to a short form as a dialog, with a skeleton while the server is slow. If several links
// are clicked meanwhile, the last one wins. Loaded on demand.
const $ = (s, of = document) => of.querySelector(s);
let asked;

export async function ask(link) {
  const mine = (asked = {}),
    box = document.createElement('dialog'),
    from = link.closest('details.menu')?.firstElementChild || link;
  // The close event fires a frame late; don't steal focus that has already moved.
  const back = () => {
    if (document.activeElement === document.body) (from.isConnected ? from : $('main')).focus({ preventScroll: true });
  };
  box.addEventListener('close', () => {
    if (mine === asked) asked = null;
    box.remove();
    back();
  });
  box.addEventListener('click', e => {
    if (e.target.closest('[data-close]')) {
      e.preventDefault();
      box.close();
    }
  });
  const open = () => {
    document.body.append(box);
    box.showModal();
  };
  const slow = setTimeout(() => {
    box.setAttribute('aria-label', link.textContent.trim());
    box.innerHTML = '<div class="skeleton" aria-busy="true"></div>';
    open();
  }, 300);
  const html = await fetch(link.href, { credentials: 'same-origin' })
    .then(answer => (answer.ok ? answer.text() : ''))
    .catch(() => '');
  clearTimeout(slow);
  if (mine !== asked) return box.remove();
  const part = $('.ask', new DOMParser().parseFromString(html, 'text/html'));
  if (!part) return location.assign(link.href);
  const title = $('h1', part);
  title.id = 'dialog-title';
  box.setAttribute('aria-labelledby', title.id);
  box.replaceChildren(part);
  if (!box.open) open();
  $('input:not([type=hidden]),textarea', box)?.focus();
}
