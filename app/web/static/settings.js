// Marks forms with unsaved changes and warns before leaving them.

const dirty = new Set();

for (const form of document.querySelectorAll("form[data-dirty]")) {
  form.addEventListener("input", () => {
    dirty.add(form);
    form.classList.add("dirty");
    const note = form.querySelector(".unsaved");
    if (note) note.hidden = false;
  });
  form.addEventListener("submit", () => { dirty.delete(form); });
}
addEventListener("beforeunload", (e) => { if (dirty.size) e.preventDefault(); });
