// Checks the contrast of a colour and previews it.

const form = document.getElementById('colour');
const code = document.getElementById('i-brand-color');
const pick = document.getElementById('pick');
const says = document.getElementById('contrast');
const styles = [...document.querySelectorAll('.preview')].map(e => e.style);

const channels = c => [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16));

// contrast with white (WCAG 2)
function contrast(c) {
  const [r, g, b] = channels(c)
    .map(n => n / 255)
    .map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 1.05 / (0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05);
}

function nearest(c) {
  for (let k = 255; k > 0; k--) {
    const shade =
      '#' +
      channels(c)
        .map(n =>
          Math.floor((n * k) / 255)
            .toString(16)
            .padStart(2, '0'),
        )
        .join('');
    if (contrast(shade) >= 4.5) return shade;
  }
  return '#000000';
}

function show() {
  const c = code.value.trim().toLowerCase();
  says.hidden = !/^#[0-9a-f]{6}$/.test(c);
  if (says.hidden) return;
  pick.value = c;
  const near = nearest(c);
  const text = near === c ? form.dataset.fine : form.dataset.low;
  says.textContent = text.replace('{contrast}', contrast(c).toFixed(1)).replace('{near}', near);
  for (const s of styles) s.setProperty('--brand', near);
}

pick.hidden = false;
pick.addEventListener('input', () => {
  code.value = pick.value;
  show();
});
code.addEventListener('input', show);
show();
