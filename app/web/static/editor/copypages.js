// Copies fields to other pages. Loaded on demand.
import { $, tell } from './text.js';
import { open } from './dialogs.js';

export async function copyToPages(m, keys) {
  const pages = await askPages(m.pages.length);
  if (!pages) return;
  const made = [];
  let n = 0;
  for (const i of pages) {
    const own = keys
      .map(k => m.get(k))
      .filter(f => f && f.i !== i)
      .map(f => [m.newKey(), m.boxed(f, m.box(f), i)]);
    if (own.length) n++;
    made.push(...own);
  }
  m.change(made);
  tell('copied-to', { n });
}

// askPages asks which pages to copy to and returns their indexes, or null if cancelled.
function askPages(total) {
  const dialog = $('#to-pages'),
    form = $('form', dialog),
    range = form.elements.range,
    error = $('#range-e');
  const read = () => pagesOf(form.elements.which.value, total, range.value);
  const fail = on => {
    error.hidden = !on;
    range.setAttribute('aria-invalid', on);
  };
  range.oninput = () => {
    form.elements.which.value = 'range';
    fail(false);
  };
  form.onsubmit = e => {
    if (!read()) {
      e.preventDefault();
      fail(true);
      range.focus();
    }
  };
  fail(false);
  return open(dialog, form.elements.which[0]).then(v => (v === 'ok' ? read() : null));
}

// pagesNamed parses "2-5, 9" into page indexes; null if it is malformed.
function pagesNamed(text, total) {
  const out = new Set();
  for (const part of text.split(/[,;\s]+/).filter(Boolean)) {
    const m = /^(\d+)(?:[-–](\d+))?$/.exec(part);
    const from = +m?.[1],
      to = +(m?.[2] ?? from);
    if (!m || from < 1 || to < from || to > total) return null;
    for (let i = from; i <= to; i++) out.add(i - 1);
  }
  return out.size ? [...out].sort((a, b) => a - b) : null;
}

// pagesOf returns the page indexes for a choice in the "Copy to pages" menu.
function pagesOf(which, total, range) {
  if (which === 'range') return pagesNamed(range, total);
  const test = {
    all: () => true,
    'not-first': i => i > 0,
    'not-last': i => i < total - 1,
    odd: i => i % 2 === 0,
    even: i => i % 2 === 1,
  }[which];
  return [...Array(total).keys()].filter(test);
}
