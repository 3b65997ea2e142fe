// What makes signing in and one's own account easier; all of it works without.

// A password can be looked at while it is typed.
for (const box of document.querySelectorAll('[data-reveal]')) {
  const input = box.querySelector('input[type=password]'), b = document.createElement('button');
  b.type = 'button'; b.className = 'btn reveal'; b.textContent = box.dataset.show;
  b.setAttribute('aria-controls', input.id); b.setAttribute('aria-pressed', 'false');
  const turn = on => {
    input.type = on ? 'text' : 'password';
    b.textContent = on ? box.dataset.hide : box.dataset.show;
    b.setAttribute('aria-pressed', on);
  };
  b.addEventListener('click', () => turn(input.type === 'password'));
  // A password manager keeps what a field of passwords held.
  input.form.addEventListener('submit', () => turn(false));
  const line = document.createElement('div'); line.className = 'with-reveal';
  // Whoever types already goes on where they are: moving a field takes its focus.
  const typing = document.activeElement === input, { selectionStart, selectionEnd } = input;
  input.replaceWith(line); line.append(input, b);
  if (typing) { input.focus({ preventScroll: true }); input.setSelectionRange(selectionStart, selectionEnd); }
}

// The browser knows where it is.
const zone = document.querySelector('form[data-timezone] [name=timezone]');
if (zone && zone.value === 'UTC') zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

for (const b of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) continue;
  b.hidden = false;
  const was = b.textContent;
  b.addEventListener('click', async () => {
    const from = document.getElementById(b.dataset.copy), items = [...from.querySelectorAll('li')];
    await navigator.clipboard.writeText(items.length ? items.map(i => i.textContent.trim()).join('\n') : from.textContent.trim());
    b.textContent = document.querySelector('#status').textContent = b.dataset.done;
    setTimeout(() => { b.textContent = was; }, 3000);
  });
}
