// Bundles the dashboard and puts it into a C++ source file, compressed too.
//
//   node build.mjs OUTPUT.cc
//   node build.mjs --sizes      the compressed size of what a first visit loads
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  html: 'text/html; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
};

const type_of = (name) => TYPES[name.slice(name.lastIndexOf('.') + 1)];

// Collects the licenses of the packages that go into the bundle.
function licenses() {
  const { dependencies } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
  const texts = Object.keys(dependencies).map(
    (name) => `${name}\n\n${readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8')}`,
  );
  const bytes = Buffer.from(texts.join('\n'));
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8).toUpperCase();
  return { path: `/assets/licenses-${hash}.txt`, bytes };
}

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: ['app.tsx', 'icon.svg'],
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.svg': 'copy' },
    outdir: 'out',
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const files = result.outputFiles.map((file) => ({
    path: '/assets/' + basename(file.path),
    bytes: Buffer.from(file.contents),
  }));
  files.push(licenses());
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const named = (start, end) => files.find((f) => f.path.startsWith('/assets/' + start) && f.path.endsWith(end)).path;
  const document = readFileSync(join(here, 'index.html'), 'utf8')
    .replace('%SCRIPT%', named('app-', '.js'))
    .replace('%STYLE%', named('app-', '.css'))
    .replace('%ICON%', named('icon-', '.svg'))
    .replace('%LICENSES%', named('licenses-', '.txt'));
  return [{ path: '/', bytes: Buffer.from(document), type: TYPES.html }, ...files].map((file) => ({
    ...file,
    type: file.type ?? type_of(file.path),
    gzip: gzipSync(file.bytes, { level: 9 }),
    etag: '"' + createHash('sha256').update(file.bytes).digest('hex').slice(0, 16) + '"',
  }));
}

// A string literal, cut into pieces: compilers bound how long one may be. Octal escapes end after three digits.
function literal(bytes) {
  let text = '';
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
    text += plain ? String.fromCharCode(byte) : '\\' + byte.toString(8).padStart(3, '0');
  }
  const pieces = text.match(/(?:\\\d{3}|[^\\]){1,2000}/g) ?? [''];
  return pieces.map((piece) => `    "${piece}"`).join('\n');
}

const view = (name, bytes) => `constexpr char ${name}[] =\n${literal(bytes)};\n`;

function source(files) {
  let text = '// Made by server/page/build.mjs.\n#include "server/page/files.h"\n\n#include <array>\n\n';
  text += 'namespace holdfast::server {\nnamespace {\n\n';
  files.forEach((file, i) => (text += view(`kBytes${i}`, file.bytes) + view(`kGzip${i}`, file.gzip)));
  text += `\nconstexpr std::array<PageFile, ${files.length}> kFiles = {{\n`;
  files.forEach((file, i) => {
    const etag = file.etag.replaceAll('"', '\\"');
    text += `    {"${file.path}", "${file.type}", "${etag}", {kBytes${i}, ${file.bytes.length}}, {kGzip${i}, ${file.gzip.length}}},\n`;
  });
  return (
    text +
    '}};\n\n}  // namespace\n\nstd::span<const PageFile> page_files() { return kFiles; }\n\n}  // namespace holdfast::server\n'
  );
}

const files = await bundle();
if (process.argv[2] === '--sizes') {
  console.log(files.reduce((sum, file) => sum + file.gzip.length, 0));
  for (const file of files) console.error(`${String(file.gzip.length).padStart(7)} ${file.path}`);
} else {
  mkdirSync(dirname(process.argv[2]), { recursive: true });
  writeFileSync(process.argv[2], source(files));
}
