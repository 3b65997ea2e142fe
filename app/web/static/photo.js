// Prepares a photo of a signature: upright, no larger than displayed and, on request,
// without the paper and its margins.
const longest = 1400;

// crop is the fraction to cut off: left, right, top, bottom.
export async function prepare(file, withoutPaper, crop = [0, 0, 0, 0]) {
  const bitmap = await createImageBitmap(file),
    [left, right, top, bottom] = crop;
  const wide = bitmap.width * Math.max(0.02, 1 - left - right),
    high = bitmap.height * Math.max(0.02, 1 - top - bottom);
  const x = Math.min(bitmap.width * left, bitmap.width - wide),
    y = Math.min(bitmap.height * top, bitmap.height - high);
  const scale = Math.min(1, longest / Math.max(wide, high));
  const canvas = document.createElement('canvas'),
    brush = canvas.getContext('2d', { willReadFrequently: true });
  canvas.width = Math.max(1, Math.round(wide * scale));
  canvas.height = Math.max(1, Math.round(high * scale));
  brush.drawImage(bitmap, x, y, wide, high, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return ((withoutPaper && cutOut(canvas, brush)) || canvas).toDataURL('image/png');
}

const light = (d, i) => 0.2126 * d[i] + 0.7152 * d[i + 1] + 0.0722 * d[i + 2];

// Most of the border is assumed to be paper. If it is dark, nothing is removed.
function cutOut(canvas, brush) {
  const { width, height } = canvas,
    image = brush.getImageData(0, 0, width, height),
    d = image.data,
    edge = [];
  for (let x = 0; x < width; x++) edge.push(light(d, 4 * x), light(d, 4 * ((height - 1) * width + x)));
  for (let y = 0; y < height; y++) edge.push(light(d, 4 * y * width), light(d, 4 * (y * width + width - 1)));
  const paper = edge.sort((a, b) => a - b)[edge.length >> 1];
  if (paper < 120) return null;
  let left = width,
    right = -1,
    top = height,
    bottom = -1;
  for (let i = 0, n = 0; i < d.length; i += 4, n++) {
    const ink = Math.min(1, Math.max(0, (paper * 0.92 - light(d, i)) / (paper * 0.35)));
    d[i + 3] = Math.round(d[i + 3] * ink);
    if (d[i + 3] > 60) {
      const x = n % width,
        y = (n / width) | 0;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  if (right < left) return null;
  const out = document.createElement('canvas'),
    margin = 4;
  out.width = right - left + 1 + 2 * margin;
  out.height = bottom - top + 1 + 2 * margin;
  out
    .getContext('2d')
    .putImageData(image, margin - left, margin - top, left - margin, top - margin, out.width, out.height);
  return out;
}
