// Saves a field for other documents. Loaded on demand.
import { $, say, make, post, tell } from './text.js';

export async function save(editor, key) {
  const input = $('#q-saved'),
    field = input.closest('.field'),
    name = input.value.trim();
  $('.error', field)?.remove();
  input.removeAttribute('aria-invalid');
  if (!name) return input.focus();
  const { status, body } = await post('/saved-fields', { name, field: JSON.stringify(editor.model.wire(key)) }).catch(
    () => ({ body: {} }),
  );
  if (status !== 200) {
    input.setAttribute('aria-invalid', 'true');
    field.append(
      make('p', {
        className: 'error',
        role: 'alert',
        textContent:
          Object.values(body.errors || {})
            .flat()
            .join(' ') ||
          body.message ||
          say('failed'),
      }),
    );
    return input.focus();
  }
  input.value = '';
  editor.fields.offer(body.saved);
  tell('saved-field', { name });
}
