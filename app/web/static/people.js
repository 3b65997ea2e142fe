// Choosing a contact's address fills in the name.
const known = new Map([...document.querySelectorAll('#contacts option')].map(o => [o.value, o.dataset.name]));
document.querySelector('#people').addEventListener('change', e => {
  if (!e.target.name.endsWith('.email')) return;
  const name = document.getElementsByName(e.target.name.replace(/email$/, 'name'))[0];
  if (name && !name.value) name.value = known.get(e.target.value) ?? '';
});
if (location.hash === '#new') document.querySelector('#new input:not([type=hidden])')?.focus();
