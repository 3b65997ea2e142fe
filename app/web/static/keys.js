// Shortcuts of one key. Never in an input, in a dialog, or in the editor, which has keys of its own.
const root = document.documentElement.dataset.root;
const places = { d: 'app/documents', a: 'app/action', t: 'app/templates', c: 'app/contacts', s: 'app/settings' };
let went = 0; // when g was pressed

document.addEventListener('keydown', e => {
  if (e.defaultPrevented || e.isComposing || e.ctrlKey || e.metaKey || e.altKey) return;
  if (
    e.target.closest('input:not([type=checkbox],[type=radio]),textarea,select,[contenteditable]') ||
    document.querySelector('dialog[open],.editor')
  )
    return;
  const going = Date.now() - went < 1500 && places[e.key];
  went = 0;
  if (going) location.assign(root + going);
  else if (e.key === 'g') went = Date.now();
  else if (e.key === '?') document.querySelector('a[data-keys]').click();
  else if (e.key === 'n') document.querySelector('.shell .btn.primary')?.click();
  else if (e.key === '/' && document.querySelector('input[type=search]'))
    document.querySelector('input[type=search]').focus();
  else return;
  e.preventDefault();
});
