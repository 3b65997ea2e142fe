// Draws a signature or initials to save. Drawing takes precedence over typing.
import { Pad } from './pad.js';
for (const form of document.querySelectorAll('form[data-draw]')) {
  const box = form.querySelector('div[hidden]'),
    kind = form.dataset.draw;
  box.hidden = false;
  const pad = new Pad(form.querySelector('canvas'));
  form.closest('details').addEventListener('toggle', () => pad.fit());
  form.querySelector('[data-pad=undo]').addEventListener('click', () => pad.undo());
  form.querySelector('[data-pad=clear]').addEventListener('click', () => pad.clear());
  form.addEventListener('submit', () => {
    const strokes = pad.strokes();
    if (strokes.length) {
      form.elements[kind + '.type'].value = 'drawn';
      form.elements[kind + '.data'].value = JSON.stringify(strokes);
    }
  });
}
