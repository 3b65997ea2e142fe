// Drag and drop and a progress bar for forms with one file.
let dropping; // listeners of the document, which outlives the form
function attach(form) {
  const words = JSON.parse(form.dataset.words),
    say = key => words[key]?.other || key;
  const file = form.querySelector('input[type=file][required]'),
    box = form.querySelector('.progress'),
    bar = box.querySelector('progress'),
    line = box.querySelector('[role=status]');
  const over = on => e => {
    e.preventDefault();
    form.classList.toggle('over', on);
  };
  // Files may be dropped anywhere on a page with one such form.
  const area = document.querySelectorAll('form[data-upload]').length > 1 ? form : document;
  if (dropping) for (const [type, listener] of dropping) document.removeEventListener(type, listener);
  dropping = [
    ['dragover', over(true)],
    [
      'dragleave',
      e => {
        if (area === form || !e.relatedTarget) over(false)(e);
      },
    ],
    [
      'drop',
      e => {
        over(false)(e);
        if (e.dataTransfer.files.length) {
          file.files = e.dataTransfer.files;
          form.requestSubmit();
        }
      },
    ],
  ];
  for (const [type, listener] of dropping) area.addEventListener(type, listener);
  let busy = false;
  form.addEventListener('submit', e => {
    e.preventDefault();
    if (busy) return;
    busy = true;
    const send = new XMLHttpRequest();
    send.upload.addEventListener('progress', p => {
      if (!p.lengthComputable) return;
      bar.value = p.loaded / p.total;
      line.textContent =
        p.loaded === p.total
          ? say('working')
          : say('sending') + ' ' + form.dataset.percent.replace('0', Math.round((100 * p.loaded) / p.total));
      if (p.loaded === p.total) bar.removeAttribute('value');
    });
    const failed = () => {
      busy = false;
      box.hidden = true;
      document.querySelector('#alert').textContent = say('failed');
      line.textContent = say('failed');
    };
    send.addEventListener('error', failed);
    send.addEventListener('load', () => {
      const page = new DOMParser().parseFromString(send.responseText, 'text/html'),
        main = page.querySelector('main');
      if (!main) return failed();
      document.querySelector('main').replaceWith(main);
      document.title = page.title;
      main.querySelector('#errors,#all,#verdict,h1')?.focus();
      main.querySelectorAll('form[data-upload]').forEach(attach);
    });
    send.open('POST', form.action);
    box.hidden = false;
    line.textContent = say('sending');
    send.send(new FormData(form));
  });
}
document.querySelectorAll('form[data-upload]').forEach(attach);
