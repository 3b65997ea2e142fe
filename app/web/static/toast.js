// A notice at the edge of the window can be closed. One without Undo goes away by itself, unless it
// is being read.
import { $ } from './base.js';

const close = $('.toast [data-dismiss]'),
  toast = close.closest('.toast');
close.hidden = false;
close.addEventListener('click', () => {
  toast.remove();
  $('main').focus({ preventScroll: true });
});
const later = () => setTimeout(() => (toast.matches(':hover,:focus-within') ? later() : toast.remove()), 10000);
if (!$('form', toast)) later();
