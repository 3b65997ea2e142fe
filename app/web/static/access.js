// Enhancements for sign-in and account pages. Every page works without this script.

// Toggles to show a password.
for (const box of document.querySelectorAll('[data-reveal]')) {
  const input = box.querySelector('input[type=password]'),
    b = document.createElement('button');
  b.type = 'button';
  b.className = 'btn reveal';
  b.textContent = box.dataset.show;
  b.setAttribute('aria-controls', input.id);
  b.setAttribute('aria-pressed', 'false');
  const turn = on => {
    input.type = on ? 'text' : 'password';
    b.textContent = on ? box.dataset.hide : box.dataset.show;
    b.setAttribute('aria-pressed', on);
  };
  b.addEventListener('click', () => turn(input.type === 'password'));
  // Submit as a password field, or password managers won't offer to save it.
  input.form.addEventListener('submit', () => turn(false));
  const line = document.createElement('div');
  line.className = 'with-reveal';
  // Moving the input drops its focus, so restore focus and selection if someone is already typing.
  const typing = document.activeElement === input,
    { selectionStart, selectionEnd } = input;
  input.replaceWith(line);
  line.append(input, b);
  if (typing) {
    input.focus({ preventScroll: true });
    input.setSelectionRange(selectionStart, selectionEnd);
  }
}

// Preselect the browser's time zone.
const zone = document.querySelector('form[data-timezone] [name=timezone]');
if (zone && zone.value === 'UTC') zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

for (const b of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) continue;
  b.hidden = false;
  const was = b.textContent;
  b.addEventListener('click', async () => {
    const from = document.getElementById(b.dataset.copy),
      items = [...from.querySelectorAll('li')];
    await navigator.clipboard.writeText(
      items.length ? items.map(i => i.textContent.trim()).join('\n') : from.textContent.trim(),
    );
    b.textContent = document.querySelector('#status').textContent = b.dataset.done;
    setTimeout(() => {
      b.textContent = was;
    }, 3000);
  });
}
