// Forms that say when something is not saved, dialogs that ask before what
// can't be undone, and buttons that copy.

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

for (const link of document.querySelectorAll("a[data-dialog]")) {
  const dialog = document.getElementById(link.dataset.dialog);
  link.setAttribute("role", "button");
  link.addEventListener("click", (e) => { e.preventDefault(); dialog.showModal(); });
  link.addEventListener("keydown", (e) => { if (e.key === " ") { e.preventDefault(); dialog.showModal(); } });
  dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue; // not without encryption
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
      button.textContent = button.dataset.done;
      document.getElementById("status").textContent = button.dataset.done;
    } catch {
      getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
    }
  });
}
