// A pad for drawing signatures. Strokes are kept as points, so rotating the device or
// resizing the window loses nothing, and undo is exact.
const inks = { blue: '#14285a', black: '#000' };

export class Pad {
  #lines = []; #line = null; #width = 0; #ink = 'blue';
  constructor(canvas) {
    this.canvas = canvas; this.brush = canvas.getContext('2d');
    canvas.addEventListener('pointerdown', e => this.#down(e));
    canvas.addEventListener('pointermove', e => this.#move(e));
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) canvas.addEventListener(end, () => this.#up());
    new ResizeObserver(() => this.fit()).observe(canvas);
  }
  #point(e) {
    const box = this.canvas.getBoundingClientRect();
    return [Math.round((e.clientX - box.left) * 10) / 10, Math.round((e.clientY - box.top) * 10) / 10];
  }
  #down(e) {
    if (e.button || this.#line) return;
    e.preventDefault();
    this.canvas.setPointerCapture(e.pointerId);
    this.#line = [this.#point(e)]; this.#lines.push(this.#line); this.draw();
  }
  #move(e) {
    if (!this.#line) return;
    for (const each of e.getCoalescedEvents?.() || [e]) {
      const p = this.#point(each), [x, y] = this.#line.at(-1);
      if (Math.hypot(p[0] - x, p[1] - y) >= 1.5) this.#line.push(p);
    }
    this.draw();
  }
  #up() { this.#line = null; }
  // fit matches the canvas to the screen's resolution. Only width counts: a phone's address
  // bar changes the height and must not clear the drawing.
  fit() {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, sharp = Math.max(devicePixelRatio || 1, 1);
    if (!width || width === this.#width && this.canvas.width === Math.round(width * sharp)) return;
    const scale = this.#width ? width / this.#width : 1;
    for (const line of this.#lines) for (const p of line) { p[0] *= scale; p[1] *= scale; }
    this.#width = width;
    this.canvas.width = Math.round(width * sharp); this.canvas.height = Math.round(height * sharp);
    this.brush.setTransform(sharp, 0, 0, sharp, 0, 0);
    this.draw();
  }
  draw() {
    const b = this.brush;
    b.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    b.strokeStyle = inks[this.#ink]; b.lineWidth = Math.max(2, this.#width / 200); b.lineCap = b.lineJoin = 'round';
    for (const line of this.#lines) {
      b.beginPath(); b.moveTo(...line[0]);
      if (line.length === 1) b.lineTo(line[0][0] + .1, line[0][1]);
      for (let i = 1; i < line.length; i++) {
        const [x, y] = line[i], [px, py] = line[i - 1];
        b.quadraticCurveTo(px, py, (px + x) / 2, (py + y) / 2);
      }
      if (line.length > 1) b.lineTo(...line.at(-1));
      b.stroke();
    }
  }
  ink(name) { this.#ink = name; this.draw(); }
  undo() { this.#lines.pop(); this.draw(); }
  clear() { this.#lines = []; this.draw(); }
  small() {
    const all = this.#lines.flat(), xs = all.map(p => p[0]), ys = all.map(p => p[1]);
    const span = a => a.reduce((m, v) => Math.max(m, v), -Infinity) - a.reduce((m, v) => Math.min(m, v), Infinity);
    return span(xs) < this.#width / 12 && span(ys) < this.#width / 12;
  }
  // strokes returns the smoothed points, halfway between the sampled ones.
  strokes() {
    const round = n => Math.round(n * 10) / 10;
    return this.#lines.map(line => line.length < 3 ? line.map(p => p.map(round)) : line.map((p, i) => {
      const q = line[Math.min(i + 1, line.length - 1)], o = line[Math.max(i - 1, 0)];
      return [round((o[0] + 2 * p[0] + q[0]) / 4), round((o[1] + 2 * p[1] + q[1]) / 4)];
    }));
  }
}
