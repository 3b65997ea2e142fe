import { $, $$, say } from './text.js';

for (const d of $$('dialog'))
  d.addEventListener('click', e => {
    if (e.target.closest('[data-close]')) d.close('');
  });

// open shows a dialog and returns focus when it closes.
export function open(dialog, first) {
  const from = document.activeElement;
  dialog.returnValue = '';
  dialog.showModal();
  (first || $('input,select,button', dialog)).focus();
  return new Promise(done =>
    dialog.addEventListener(
      'close',
      () => {
        if (from.isConnected) from.focus({ preventScroll: true });
        done(dialog.returnValue);
      },
      { once: true },
    ),
  );
}

// confirmPerson asks for confirmation before removing a recipient who has fields.
export function confirmPerson(name, n) {
  const dialog = $('#leave-person');
  $('#leave-text').textContent = say('person-remove', { name, n });
  $('[data-yes]', dialog).onclick = () => dialog.close('yes');
  return open(dialog, $('[data-close]', dialog)).then(v => v === 'yes');
}
