// Stores a draft's form before it is left. If the form is refused, the second try leaves.
import { $, $$, form, warn } from './draft.js';

// keep stores the form, and calls go if that succeeded. The state says whether the form was sent or refused.
export async function keep(state, go) {
  const body = new FormData(form);
  body.set('do', 'keep');
  const answer = await fetch(form.action, { method: 'POST', body, credentials: 'same-origin' }).catch(() => null);
  if (answer?.ok) {
    state.sent = true;
    return go();
  }
  state.refused = true;
  if (answer?.status === 422) {
    const now = $('#draft', new DOMParser().parseFromString(await answer.text(), 'text/html'));
    for (const p of $$('.error', now)) {
      const here = document.getElementById(p.id),
        field = document.getElementById(p.id.replace(/-error$/, ''))?.closest('.field');
      if (!field) continue;
      here?.remove();
      field.classList.add('bad');
      field.append(p);
      $('input,select,textarea', field).setAttribute('aria-invalid', 'true');
    }
    $('.bad :is(input,select,textarea)', form)?.focus();
  }
  const text = state.say(answer?.status === 422 ? 'kept' : 'unsent');
  warn(text);
  let note = $('#unkept');
  if (!note) {
    note = document.createElement('p');
    note.id = 'unkept';
    note.className = 'notice warn';
    form.prepend(note);
  }
  note.textContent = text;
  note.scrollIntoView({ block: 'nearest' });
}
