// A pad for drawing signatures. Strokes are kept as points, so rotating the device or
// resizing the window loses nothing, and undo is exact. A point is [x, y, width of the pen].
const inks = { blue: '#14285a', black: '#000' },
  tenth = n => Math.round(n * 10) / 10;
const between = (p, q) => [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2];

// Widths change in steps; finer ones look no smoother.
const wide = p => Math.max(1, Math.round((p[2] || 1) * 8)) / 8;

// curves calls a function with each curve of a stroke from a point on: its width, start, control and end.
// Curves end halfway between the points, with the points as controls.
function curves(line, from, draw) {
  let at = from > 1 ? between(line[from - 1], line[from]) : line[0];
  for (let i = from; i + 1 < line.length; i++) {
    const end = between(line[i], line[i + 1]);
    draw(wide(line[i]), at, line[i], end);
    at = end;
  }
  const last = line.at(-1);
  draw(wide(line.at(-2) || last), at, last, line.length > 1 ? last : [last[0] + 0.1, last[1]]);
}

export class Pad {
  #lines = [];
  #line = null;
  #width = 0;
  #ink = 'blue';
  #time = 0;
  constructor(canvas) {
    this.canvas = canvas;
    this.brush = canvas.getContext('2d');
    canvas.addEventListener('pointerdown', e => this.#down(e));
    canvas.addEventListener('pointermove', e => this.#move(e));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'])
      canvas.addEventListener(end, () => this.#up());
    new ResizeObserver(() => this.fit()).observe(canvas);
  }
  #point(e) {
    const box = this.canvas.getBoundingClientRect();
    return [tenth(e.clientX - box.left), tenth(e.clientY - box.top)];
  }
  // A pen tells its pressure. The line of a finger or a mouse gets thinner the faster it moves, as ink does. The
  // width follows with delay, so that it never jumps.
  #pen(e, far, was) {
    const quick = ((far / Math.max(e.timeStamp - this.#time, 1)) * 600) / this.#width;
    const want =
      e.pointerType === 'pen' && e.pressure ? 0.4 + 1.3 * e.pressure : Math.min(Math.max(1.4 - 0.3 * quick, 0.5), 1.4);
    this.#time = e.timeStamp;
    return Math.round((was + (want - was) * 0.25) * 100) / 100;
  }
  #down(e) {
    if (e.button || this.#line) return;
    e.preventDefault();
    this.canvas.setPointerCapture(e.pointerId);
    this.#time = e.timeStamp;
    this.#line = [[...this.#point(e), e.pointerType === 'pen' ? 0.6 : 1]];
    this.#lines.push(this.#line);
    this.#stroke(this.#line, 1);
  }
  #move(e) {
    const line = this.#line,
      from = line?.length;
    if (!line) return;
    const all = e.getCoalescedEvents?.() || [];
    for (const each of all.length ? all : [e]) {
      const p = this.#point(each),
        [x, y, was] = line.at(-1),
        far = Math.hypot(p[0] - x, p[1] - y);
      if (far >= 1.5) line.push([...p, this.#pen(each, far, was)]);
    }
    if (line.length > from) this.#stroke(line, Math.max(from - 1, 1));
  }
  #up() {
    if (this.#line) this.draw();
    this.#line = null;
  }
  // fit matches the canvas to the screen's resolution. Only width counts: a phone's address
  // bar changes the height and must not clear the drawing.
  fit() {
    const width = this.canvas.clientWidth,
      height = this.canvas.clientHeight,
      sharp = Math.max(devicePixelRatio || 1, 1);
    if (!width || (width === this.#width && this.canvas.width === Math.round(width * sharp))) return;
    const scale = this.#width ? width / this.#width : 1;
    for (const line of this.#lines)
      for (const p of line) {
        p[0] *= scale;
        p[1] *= scale;
      }
    this.#width = width;
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round(height * sharp);
    this.brush.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.draw();
  }
  #stroke(line, from) {
    const b = this.brush,
      usual = Math.max(2, this.#width / 200);
    b.strokeStyle = inks[this.#ink];
    b.lineCap = b.lineJoin = 'round';
    curves(line, from, (width, start, control, end) => {
      b.lineWidth = usual * width;
      b.beginPath();
      b.moveTo(...start);
      b.quadraticCurveTo(control[0], control[1], ...end.slice(0, 2));
      b.stroke();
    });
  }
  draw() {
    this.brush.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    for (const line of this.#lines) this.#stroke(line, 1);
  }
  ink(name) {
    this.#ink = name;
    this.draw();
  }
  undo() {
    this.#lines.pop();
    this.draw();
  }
  clear() {
    this.#lines = [];
    this.draw();
  }
  small() {
    const { w, h } = extent(this.#lines);
    return w < this.#width / 12 && h < this.#width / 12;
  }
  // strokes returns the smoothed points, halfway between the sampled ones.
  strokes() {
    return this.#lines.map(line =>
      line.length < 3
        ? line.map(([x, y, pen]) => [tenth(x), tenth(y), pen])
        : line.map((p, i) => {
            const q = line[Math.min(i + 1, line.length - 1)],
              o = line[Math.max(i - 1, 0)];
            return [tenth((o[0] + 2 * p[0] + q[0]) / 4), tenth((o[1] + 2 * p[1] + q[1]) / 4), p[2]];
          }),
    );
  }
}

function extent(strokes) {
  const least = [Infinity, Infinity],
    most = [-Infinity, -Infinity];
  for (const p of strokes.flat())
    for (const k of [0, 1]) {
      least[k] = Math.min(least[k], p[k]);
      most[k] = Math.max(most[k], p[k]);
    }
  return { x: least[0], y: least[1], w: most[0] - least[0], h: most[1] - least[1] };
}

// pictureOf returns strokes as an SVG picture.
export function pictureOf(strokes, ink, label) {
  const make = (name, all) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const k in all) e.setAttribute(k, all[k]);
    return e;
  };
  const { x, y, w, h } = extent(strokes),
    usual = Math.max(w, h) / 80 + 1,
    edge = 1.4 * usual;
  const svg = make('svg', {
    class: 'ink',
    role: 'img',
    'aria-label': label,
    viewBox: [x - edge, y - edge, w + 2 * edge, h + 2 * edge].join(' '),
  });
  const groups = {};
  for (const line of strokes)
    curves(line, 1, (width, start, control, end) => {
      groups[width] = (groups[width] || '') + `M${start.slice(0, 2)}Q${control.slice(0, 2)} ${end.slice(0, 2)}`;
    });
  for (const width in groups)
    svg.append(
      make('path', {
        fill: 'none',
        stroke: inks[ink] || inks.blue,
        'stroke-width': usual * width,
        'stroke-linecap': 'round',
        'stroke-linejoin': 'round',
        d: groups[width],
      }),
    );
  return svg;
}
