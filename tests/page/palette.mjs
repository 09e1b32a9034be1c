// Makes pictures small: a PNG of the browser becomes a PNG of at most 256 colors.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const COLORS = 256;
const ALIKE = 40;  // squared distance of colors that nobody tells apart

function* chunks_of(png) {
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    yield [png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, at + 8 + length)];
    at += length + 12;
  }
}

const paeth = (left, up, corner) => {
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(left + up - corner - one));
  return a <= b && a <= c ? left : b <= c ? up : corner;
};
const FILTERS = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
];

// Returns the pixels of a picture, as numbers of three bytes. The browser's pictures have eight bits a sample, and no
// transparency.
function pixels_of(png) {
  const chunks = [...chunks_of(png)];
  const header = chunks[0][1];
  const [width, height, bytes] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9] === 6 ? 4 : 3];
  const raw = inflateSync(Buffer.concat(chunks.filter(([name]) => name === 'IDAT').map(([, data]) => data)));
  const stride = width * bytes;
  const pixels = new Uint32Array(width * height);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; ++y) {
    const start = y * (stride + 1);
    const filter = FILTERS[raw[start]];
    const row = raw.subarray(start + 1, start + 1 + stride);
    for (let i = 0; i < stride; ++i)
      row[i] += filter(row[i - bytes] ?? 0, above[i], i < bytes ? 0 : above[i - bytes]);
    for (let x = 0; x < width; ++x) pixels[y * width + x] = row.readUIntBE(x * bytes, 3);
    above = row;
  }
  return { width, height, pixels };
}

const distance = (a, b) =>
  ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;

function nearest(palette, color) {
  let best = 0;
  palette.forEach((one, i) => {
    if (distance(one, color) < distance(palette[best], color)) best = i;
  });
  return best;
}

// Returns the most frequent colors. Of colors that look alike, it has one.
function palette_of(pixels) {
  const counts = new Map();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette = [];
  const frequent = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
  for (const color of frequent) {
    if (palette.length === COLORS) break;
    if (palette.length === 0 || distance(palette[nearest(palette, color)], color) > ALIKE) palette.push(color);
  }
  return { palette, index: new Map(frequent.map((color) => [color, nearest(palette, color)])) };
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

export function with_palette(png) {
  const { width, height, pixels } = pixels_of(png);
  const { palette, index } = palette_of(pixels);
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = Buffer.alloc((width + 1) * height);
  pixels.forEach((color, i) => (rows[i + Math.floor(i / width) + 1] = index.get(color)));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((one) => [one >> 16, (one >> 8) & 255, one & 255]))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
