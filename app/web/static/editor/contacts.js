// Suggests contacts while typing a name or address. Loaded on demand.
import { $, make } from './text.js';

// suggest lists contacts whose name or address starts with the input.
export function suggest(people, e) {
  clearTimeout(people.wait);
  const known = people.known?.find(
    c => c.name === people.form.elements.name.value || c.email === people.form.elements.email.value,
  );
  if (known && e.inputType !== 'insertText' && e.inputType !== 'deleteContentBackward') {
    for (const name of ['name', 'email']) people.form.elements[name].value = known[name];
    if (known.locale) people.form.elements.locale.value = known.locale;
    return;
  }
  const q = e.target.value.trim();
  if (q.length < 2) return;
  people.wait = setTimeout(async () => {
    const answer = await fetch(people.editor.contacts + encodeURIComponent(q), {
      headers: { 'X-Requested-With': 'fetch' },
    }).catch(() => null);
    if (!answer?.ok || q !== e.target.value.trim()) return; // superseded by further typing
    people.known = (await answer.json()).data;
    $('#contacts').replaceChildren(...people.known.map(c => make('option', { value: c.name, textContent: c.email })));
    $('#contacts-email').replaceChildren(
      ...people.known.map(c => make('option', { value: c.email, textContent: c.name })),
    );
  }, 200);
}
