// The document's files: choosing and dropping them. pieces.js uploads them, filelist.js changes
// their list. Without scripts the form uploads as browsers do.
import { $, form, warn } from './draft.js';
import { input, page, say, zone } from './filepage.js';

zone.classList.add('scripted');
$('.here').hidden = $('.pick').hidden = false;

// add uploads files. The module is loaded on first use.
function add(files) {
  const chosen = [...files];
  import('./pieces.js').then(
    pieces => pieces.add(chosen),
    () => warn(say('failed')),
  );
}
const loadList = () => import('./filelist.js');

document.addEventListener('dragover', e => {
  e.preventDefault();
  if (!page.dragged) zone.classList.add('over');
});
document.addEventListener('dragleave', e => {
  if (!e.relatedTarget) zone.classList.remove('over');
});
document.addEventListener('drop', e => {
  e.preventDefault();
  zone.classList.remove('over');
  if (!page.dragged) add(e.dataTransfer.files);
});
addEventListener('pointerover', e => {
  if (e.target.closest?.('#files')) loadList().catch(() => {});
});
form.addEventListener('submit', e => {
  const row = e.submitter?.closest('#files [data-file]');
  if (row) {
    e.preventDefault();
    loadList().then(
      list => list.act(row, e.submitter),
      () => warn(say('unsent')),
    );
  } else if ([...page.items].some(i => i.busy)) {
    // pieces.js submits the form once they are uploaded
    e.preventDefault();
    page.next = e.submitter;
    page.next?.setAttribute('aria-busy', 'true');
  }
});
input.addEventListener('change', () => add(input.files));
if (input.files.length) add(input.files); // chosen before this script loaded
