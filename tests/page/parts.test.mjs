// The dashboard's parts that need no browser, and what it is made of.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ROOT, Server } from './harness.mjs';

const PAGE = join(ROOT, 'server', 'page');
const { build } = createRequire(join(PAGE, 'build.mjs'))('esbuild');
let directory;
const parts = {};

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  for (const name of ['json.ts', 'diff.tsx', 'format.ts', 'text.tsx', 'retry_model.ts', 'pager.ts', 'attribute_lines.ts', 'filter_query.ts']) {
    const outfile = join(directory, name.replace(/\.tsx?$/, '.mjs'));
    await build({
      entryPoints: [join(PAGE, 'parts', name)],
      outfile,
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      logLevel: 'warning',
    });
    Object.assign(parts, await import(pathToFileURL(outfile)));
  }
});
after(() => rmSync(directory, { recursive: true, force: true }));

test('JSON keeps the digits of numbers, the order of members, and members of the same name', () => {
  const text = '{"b":10.10,"a":12345678901234567890,"b":[1e400,-0,true,null,"\\u00e9\\n"]}';
  assert.equal(
    parts.pretty(parts.parse_json(text)),
    '{\n  "b": 10.10,\n  "a": 12345678901234567890,\n  "b": [\n    1e400,\n    -0,\n    true,\n    null,\n    "é\\n"\n  ]\n}',
  );
  for (const wrong of [
    '',
    '{',
    '{"a":1,}',
    '[1 2]',
    '01',
    '+1',
    "{'a':1}",
    '"\n"',
    'nul',
    '1 2',
    '['.repeat(300) + ']'.repeat(300),
  ])
    assert.equal(parts.parse_json(wrong), null, wrong);
  assert.equal(parts.pretty(parts.parse_json(' [ ] ')), '[]');
});

test('a difference has what is gone and what is new, in order', () => {
  const lines = parts.diff_lines(['a', 'b', 'c', 'd'], ['a', 'c', 'x', 'd']);
  assert.deepEqual(
    lines.map(({ kind, text }) => `${kind} ${text}`),
    ['same a', 'gone b', 'same c', 'new x', 'same d'],
  );
  assert.equal(parts.diff_lines(Array(3000).fill('a'), Array(3000).fill('a')).length, 6000);
});

test('durations are read and written as the API does', () => {
  for (const [text, seconds] of [
    ['30', 30],
    ['1h30m', 5400],
    ['250ms', 0.25],
    ['2d', 172800],
    ['1.5s', 1.5],
  ])
    assert.equal(parts.parse_duration(text), seconds, text);
  for (const wrong of ['', 'x', '1y', '-1s', '1h 30m', 's']) assert.equal(parts.parse_duration(wrong), null, wrong);
  for (const seconds of [0, 0.25, 30, 90, 3600, 86400, 90000])
    assert.equal(parts.parse_duration(parts.duration_input(seconds)), seconds);
});

test('characters that are not seen are spelled out', () => {
  assert.equal(parts.visible('plain é 漢 🎉'), 'plain é 漢 🎉');
  assert.equal(parts.visible('two\nlines', true), 'two\nlines');
  const shown = parts.visible('a\u202Eb\u001b[31m');
  assert.deepEqual(
    shown.map((one) => (typeof one === 'string' ? one : one.props.children)),
    ['a', 'U+202E', 'b', 'ESC', '[31m'],
  );
  assert.equal(parts.visible_plain('a\u2066b\nc'), 'a‹U+2066›b‹U+000A›c');
});

test('attributes are read back as they were written', () => {
  const attributes = [
    ['urn:tenant', 'north'],
    ['urn', 'keep'],
    ['a: b', 'c\nd'],
    ['empty', ''],
    ['quoted', '"x"'],
    ['spaced', ' y '],
    ['ends:', 'with:'],
  ].map(([name, value]) => ({ name, value }));
  assert.deepEqual(parts.parse_lines(parts.lines_of(attributes)), attributes);
  assert.deepEqual(parts.parse_lines('urn:tenant: south'), [{ name: 'urn:tenant', value: 'south' }]);
  for (const wrong of ['k:v', ': v', '"a: b']) assert.equal(typeof parts.parse_lines(wrong), 'string', wrong);
});

test('a filter has all that its address says, also what no server takes', () => {
  const filter = (text) => parts.filter_of(new URLSearchParams(text), Date.parse('2026-03-01T10:00:00Z'));
  assert.deepEqual(filter('correlationId=c&minReplays=2&body=b&attributes=k%3Dv%3Dw&newer=1h'), {
    correlationId: 'c',
    minReplays: 2,
    body: 'b',
    attributes: [{ name: 'k', value: 'v=w' }],
    diedFrom: '2026-03-01T09:00:00.000Z',
  });
  assert.deepEqual(filter('newer=zz&seqs=1,x&minReplays=two'), {
    diedFrom: 'zz',
    seqs: [1, 'x'],
    minReplays: 'two',
  });
  assert.equal(parts.is_empty(filter('')), true);
  assert.equal(parts.is_empty(parts.until_now(filter(''))), false);
});

test('a retry policy spans what its waits say, and loses what an outage outlasts', () => {
  const policy = { kind: 'exponential', base: 1, cap: 4, jitter: 0.5, stages: [], maxDeliveries: 5 };
  assert.deepEqual(parts.schedule(policy), { latest: [0, 1, 3, 7, 11], earliest: [0, 0.5, 1.5, 3.5, 5.5] });
  assert.deepEqual(parts.schedule({ ...policy, kind: 'stages', stages: [2, 5], jitter: 0 }).latest, [0, 2, 7, 12, 17]);
  const spans = parts.spans(policy);
  assert.ok(Math.min(...spans) >= 5.5 && Math.max(...spans) <= 11);
  assert.equal(parts.lost_share(spans, 5), 0);
  assert.equal(parts.lost_share([10], 40), 0.75);
  assert.deepEqual(parts.spans(policy), spans);
});

test('a long list keeps what is near, and reads the rest again', async () => {
  const reads = [];
  const read = async (start, max) => {
    const first = Number(start ?? 0);
    reads.push(first);
    return {
      items: Array.from({ length: Math.min(max, 10_000 - first) }, (_, i) => first + i),
      next: first + max < 10_000 ? String(first + max) : undefined,
    };
  };
  const pager = new parts.Pager(read, () => {});
  while (!pager.complete) await pager.show(pager.known, pager.known);
  assert.deepEqual([pager.known, reads.length], [10_000, 50]);
  assert.ok(pager.all().length <= 15 * 200);
  assert.equal(pager.at(0), undefined);
  await pager.show(0, 30);
  assert.deepEqual([pager.at(0), pager.at(199), reads.length], [0, 199, 51]);
  await Promise.all([pager.show(5000, 5010), pager.show(5000, 5010)]);
  assert.deepEqual([pager.at(5005), reads.length], [5005, 52]);
});

test('the types are those of the API, and hold', async () => {
  const server = await Server.start();
  const document = join(directory, 'openapi.json');
  writeFileSync(document, await (await fetch(server.base + '/v1/openapi.json')).text());
  await server.stop();
  execFileSync(process.execPath, [join(PAGE, 'generate_types.mjs'), '--check', document], { stdio: 'inherit' });
  execFileSync(process.execPath, [join(PAGE, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', PAGE], {
    stdio: 'inherit',
  });
});
