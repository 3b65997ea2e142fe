// Dialogs of the editor.
import { $, $$, say } from './text.js';
import { pagesOf } from './geometry.js';

for (const d of $$('dialog')) d.addEventListener('click', e => { if (e.target.closest('[data-close]')) d.close(''); });

// open shows a dialog; the focus goes back to where it was.
export function open(dialog, first) {
  const from = document.activeElement;
  dialog.returnValue = '';
  dialog.showModal();
  (first || $('input,select,button', dialog)).focus();
  return new Promise(done => dialog.addEventListener('close', () => { if (from.isConnected) from.focus({ preventScroll: true }); done(dialog.returnValue); }, { once: true }));
}

// askPages asks for pages to copy to: places from 0, or null.
export function askPages(total) {
  const dialog = $('#to-pages'), form = $('form', dialog), range = form.elements.range, error = $('#range-e');
  const read = () => pagesOf(form.elements.which.value, total, range.value);
  const fail = on => { error.hidden = !on; range.setAttribute('aria-invalid', on); };
  range.oninput = () => { form.elements.which.value = 'range'; fail(false); };
  form.onsubmit = e => { if (!read()) { e.preventDefault(); fail(true); range.focus(); } };
  fail(false);
  return open(dialog, form.elements.which[0]).then(v => v === 'ok' ? read() : null);
}

// confirmPerson asks before somebody is removed together with fields.
export function confirmPerson(name, n) {
  const dialog = $('#leave-person');
  $('#leave-text').textContent = say('person-remove', { name, n });
  $('[data-yes]', dialog).onclick = () => dialog.close('yes');
  return open(dialog, $('[data-close]', dialog)).then(v => v === 'yes');
}
