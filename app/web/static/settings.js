// Forms that say when something in them is not saved, and ask before it is lost.

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
