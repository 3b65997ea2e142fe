// Buttons that copy a text, or what an address answers. They need a secure context.
import { $$, tell } from './base.js';

async function copy(button) {
  try {
    const from = button.dataset.copyFrom;
    const text = from
      ? await fetch(from, { headers: { 'X-Requested-With': 'fetch' } }).then(answer =>
          answer.ok ? answer.text() : Promise.reject(answer),
        )
      : button.dataset.copyText;
    await navigator.clipboard.writeText(text);
    const before = (button.dataset.before ??= button.textContent); // so that a second click doesn't save "Copied"
    button.textContent = button.dataset.done || '✓';
    tell(button.textContent);
    setTimeout(() => {
      button.textContent = before;
    }, 2000);
  } catch {
    button.previousElementSibling?.select?.();
  }
}
if (navigator.clipboard)
  for (const button of $$('[data-copy-text],[data-copy-from]')) {
    button.hidden = false;
    button.addEventListener('click', () => copy(button));
  }
