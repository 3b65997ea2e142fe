// Geometry of pages. Fields store fractions of their page; here they are boxes
// {x, y, w, h} in points from the top left corner.
export const clamp = (v, low, high) => Math.min(Math.max(v, low), Math.max(low, high));

// lay puts an element where a box lies on a page; fields are boxes on a page of size one.
export const lay = (e, b, p = { w: 1, h: 1 }) =>
  Object.assign(e.style, {
    left: (b.x / p.w) * 100 + '%',
    top: (b.y / p.h) * 100 + '%',
    width: (b.w / p.w) * 100 + '%',
    height: (b.h / p.h) * 100 + '%',
  });

// size is the initial size of a field, by type.
const sizes = {
  signature: [160, 40],
  initials: [60, 30],
  stamp: [120, 50],
  attachment: [120, 24],
  image: [160, 100],
  strikethrough: [120, 14],
  checkbox: [14, 14],
  radio: [14, 14],
  date: [90, 20],
  date_signed: [90, 20],
  number: [80, 20],
  select: [130, 20],
};
// fixed lists the types that nobody fills in.
export const fixed = ['label', 'strikethrough'];
export const sizeOf = type => sizes[type] || [160, 20];
export const smallest = 6;

// linesOf returns the snap lines: edges and centres of other boxes, page margins and page centre.
export function linesOf(boxes, page) {
  const margin = 36,
    x = [margin, page.w / 2, page.w - margin],
    y = [margin, page.h / 2, page.h - margin];
  for (const b of boxes) {
    x.push(b.x, b.x + b.w / 2, b.x + b.w);
    y.push(b.y, b.y + b.h / 2, b.y + b.h);
  }
  return { x, y };
}

// nearest returns the smallest shift that aligns one of the marks with one of the lines.
function nearest(marks, lines, reach) {
  let best = null;
  for (const line of lines)
    for (const mark of marks) {
      const by = line - mark;
      if (Math.abs(by) <= reach && (!best || Math.abs(by) < Math.abs(best.by))) best = { by, line };
    }
  return best;
}

// snapBox returns how far to shift a moving box so that it snaps to the nearest lines. On a line
// of text, it stands.
export function snapBox(b, lines, reach) {
  return {
    x: nearest([b.x, b.x + b.w / 2, b.x + b.w], lines.x, reach),
    y: nearest([b.y + b.h], lines.stand || [], reach) || nearest([b.y, b.y + b.h / 2, b.y + b.h], lines.y, reach),
  };
}

// resized moves the edges named by a handle (n, se and so on).
export function resized(b, handle, dx, dy, page, lines, reach) {
  let [l, t, r, m] = [b.x, b.y, b.x + b.w, b.y + b.h];
  const guides = {};
  const edge = (at, axis, more = []) => {
    const s = lines && nearest([at], [...lines[axis], ...more], reach);
    if (s) guides[axis] = s.line;
    return s ? s.line : at;
  };
  if (handle.includes('w')) l = clamp(edge(l + dx, 'x'), 0, r - smallest);
  if (handle.includes('e')) r = clamp(edge(r + dx, 'x'), l + smallest, page.w);
  if (handle.includes('n')) t = clamp(edge(t + dy, 'y'), 0, m - smallest);
  if (handle.includes('s')) m = clamp(edge(m + dy, 'y', lines?.stand), t + smallest, page.h);
  return { box: { x: l, y: t, w: r - l, h: m - t }, guides };
}

// around returns the bounding box.
export function around(boxes) {
  const x = Math.min(...boxes.map(b => b.x)),
    y = Math.min(...boxes.map(b => b.y));
  return { x, y, w: Math.max(...boxes.map(b => b.x + b.w)) - x, h: Math.max(...boxes.map(b => b.y + b.h)) - y };
}
