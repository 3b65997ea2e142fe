// The page for drawing on a phone while signing on a computer.
import { Pad } from './pad.js';
const form = document.getElementById('pad'),
  pad = form.querySelector('div');
pad.hidden = false;
const drawing = new Pad(form.querySelector('canvas'));
drawing.fit();
form.querySelector('[data-pad=undo]').addEventListener('click', () => drawing.undo());
form.querySelector('[data-pad=clear]').addEventListener('click', () => drawing.clear());
form.addEventListener('submit', e => {
  const strokes = drawing.strokes();
  form.querySelector('.error').hidden = strokes.length > 0;
  if (!strokes.length) return e.preventDefault();
  form.elements.strokes.value = JSON.stringify(strokes);
});
