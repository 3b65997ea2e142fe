// Marks forms with unsaved changes, which keeps their save bar in view, and warns before leaving them.

const dirty = new Set();

function mark(form, on) {
  if (on) dirty.add(form);
  else dirty.delete(form);
  form.classList.toggle('dirty', on);
  for (const e of form.querySelectorAll('.unsaved,.savebar [type=reset]')) e.hidden = !on;
}
for (const form of document.querySelectorAll('form[data-dirty]')) {
  // What was refused, or only tried, is not saved either. Loading the page anew discards it.
  if (form.dataset.dirty || form.querySelector('[aria-invalid]')) {
    form.querySelector('[type=reset]')?.remove();
    mark(form, true);
  }
  form.addEventListener('input', () => mark(form, true));
  form.addEventListener('reset', () => mark(form, false));
  form.addEventListener('submit', () => dirty.delete(form));
}
addEventListener('beforeunload', e => {
  if (dirty.size) e.preventDefault();
});
