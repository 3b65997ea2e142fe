// API documentation: filters the list of operations while typing and adds copy
// buttons to samples. Without this script the search form is answered by the server.
const status = document.getElementById('status');
const words = JSON.parse(document.querySelector('[data-docs]').dataset.docs);
const say = key => words[key]?.other ?? key;

const box = document.getElementById('q');
const menu = document.querySelector('.docs-menu');
const unfolded = menu.open;
const groups = [...menu.querySelectorAll('details')];
const opened = groups.map(g => g.open);

function narrow() {
  const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  groups.forEach((group, i) => {
    let here = 0;
    for (const link of group.querySelectorAll('a')) {
      const text =
        `${link.textContent} ${link.dataset.find ?? ''} ${group.firstElementChild.textContent}`.toLowerCase();
      const fits = wanted.every(word => text.includes(word));
      link.parentElement.hidden = !fits;
      here += fits;
    }
    group.hidden = here === 0;
    group.open = wanted.length ? here > 0 : opened[i];
    found += here;
  });
  menu.open = wanted.length > 0 || unfolded;
  document.getElementById('none').hidden = found > 0;
}
box.addEventListener('input', narrow);

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // The clipboard is only available in secure contexts.
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'vh';
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('not copied');
}

for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn copy noprint';
  button.textContent = say('copy');
  button.addEventListener('click', async () => {
    // The prompt comes from CSS and isn't part of the text.
    await copy(block.querySelector('code').textContent);
    button.focus();
    button.textContent = status.textContent = say('copied');
    setTimeout(() => {
      button.textContent = say('copy');
      status.textContent = '';
    }, 2000);
  });
  block.append(button);
}
