// Forms that say when something in them is not saved, and ask before it is lost.

let dirty = null;

for (const form of document.querySelectorAll("form[data-dirty]")) {
  form.addEventListener("input", () => {
    dirty = form;
    form.classList.add("dirty");
    const note = form.querySelector(".unsaved");
    if (note) note.hidden = false;
  });
  form.addEventListener("submit", () => { dirty = null; });
}
addEventListener("beforeunload", (e) => { if (dirty) e.preventDefault(); });
