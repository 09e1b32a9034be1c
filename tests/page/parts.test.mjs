// The dashboard's parts that need no browser, and what it is made of.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  for (const name of [
    'json.ts',
    'diff.tsx',
    'format.ts',
    'text.tsx',
    'retry_model.ts',
    'pager.ts',
    'attribute_lines.ts',
    'filter_query.ts',
    'field_values.ts',
    'queue_options.ts',
    'find_query.ts',
    'line_ends.ts',
  ]) {
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

test('JSON is read however long its strings are, and a string ends where it ends', () => {
  const long = 14 << 20;
  const filled = (text) => text.repeat(long / text.length);
  for (const text of [filled('x'), filled('\\\\'), filled('\\"'), filled('\\n'), '\\'.repeat(long)]) {
    const node = parts.parse_json(`{"a":"${text}"}`);
    assert.equal(node.members[0][1].text, JSON.parse(`"${text}"`));
  }
  assert.equal(parts.parse_json(`[${' '.repeat(long)}${'1'.repeat(long)}]`).items[0].text.length, long);
  for (const wrong of [`"${filled('x')}`, '"\\"', '"\\x"', '"\\u12"', '"\t"', '"a"b"', '"'])
    assert.equal(parts.parse_json(wrong), null, wrong.slice(0, 20));
  assert.deepEqual(parts.parse_json('["\\\\","\\\\\\""]').items.map((one) => one.text), ['\\', '\\"']);
});

test('a difference has what is gone and what is new, in order', () => {
  const lines = parts.diff_lines(['a', 'b', 'c', 'd'], ['a', 'c', 'x', 'd']);
  assert.deepEqual(
    lines.map(({ kind, text }) => `${kind} ${text}`),
    ['same a', 'gone b', 'same c', 'new x', 'same d'],
  );
});

test('a difference of long texts shows what was changed, not all', () => {
  const long = Array.from({ length: 9000 }, (_, i) => `line ${i}`);
  const edited = long.toSpliced(8000, 1, 'edited');
  const lines = parts.diff_lines(long, edited);
  assert.deepEqual(
    lines.filter((one) => one.kind !== 'same'),
    [
      { kind: 'gone', text: 'line 8000' },
      { kind: 'new', text: 'edited' },
    ],
  );
  const shown = parts.folded(lines);
  assert.deepEqual(
    [shown.length, shown[0].count, shown[1].text, shown.at(-1).count],
    [1 + 3 + 2 + 3 + 1, 7997, 'line 7997', 996],
  );
  // Where it is too much to compare, what is shown is still what was and what is.
  const other = parts.diff_lines(
    long,
    long.map((one) => one + '!'),
  );
  assert.deepEqual(
    other.map((one) => one.text),
    [...long, ...long.map((one) => one + '!')],
  );
  const one_line = 'x'.repeat(100_000);
  const shortened = parts.shortened(one_line + 'A' + one_line, one_line + 'B' + one_line);
  assert.ok(shortened.includes('xAx') && shortened.length < 700);
  assert.ok(parts.shortened(one_line + 'A', one_line + 'B').endsWith('xA'));
});

test('what lines end with comes back as it was', () => {
  const as_a_field_has_it = (text) => text.replace(/\r\n?/g, '\n');
  for (const text of ['', 'a', 'a\nb\n', 'a\r\nb\r\n', 'a\r\nb\nc\rd', '\r', '\r\n', 'a␍\r\nb']) {
    const form = parts.editable(text);
    assert.equal(form.shown, as_a_field_has_it(form.shown));
    assert.equal(form.restored(form.shown), text);
  }
  assert.equal(parts.editable('a\r\nb').restored('a\nx\nb'), 'a\r\nx\r\nb');
  assert.equal(parts.editable('␍a\rb\n'), null);
});

test('fields refuse what is no value of theirs', () => {
  const wrong = (field, text) => parts.wrong_of({ name: 'f', label: 'F', ...field }, text);
  const rate = { kind: 'whole', least: 1, most: 10, hint: 'Empty: none.' };
  assert.equal(wrong(rate, ''), undefined);
  assert.equal(wrong(rate, '10'), undefined);
  assert.equal(wrong(rate, '0'), 'At least 1; empty for none.');
  assert.equal(wrong(rate, '11'), 'At most 10.');
  for (const text of ['1.5', '-1', 'x', '1e3']) assert.equal(wrong(rate, text), 'This is not a whole number.');
  assert.equal(wrong({ kind: 'number', most: 1 }, '0.5'), undefined);
  assert.equal(wrong({ kind: 'pairs', pair: ['name', 'value'] }, '[["a",""],["","x"]]'), 'Row 2 has no name.');
  assert.equal(wrong({ kind: 'list' }, '[[""]]'), 'Row 1 has no value.');
  assert.equal(wrong({ kind: 'list', may_be_empty: true }, '[[""]]'), undefined);
  assert.match(wrong({ kind: 'durations' }, '1s, x'), /no duration/);
});

test('lists and pairs come back as they are, whatever stands in them', () => {
  const odd = ['a,b', ' a ', 'a=b', '="', '', 'a\\"]'];
  const list = { name: 'l', label: 'L', kind: 'list' };
  const pairs = { name: 'p', label: 'P', kind: 'pairs', pair: ['name', 'value'] };
  const of = odd.flatMap((name) => odd.map((value) => ({ name, value })));
  assert.deepEqual(parts.value_of(list, parts.text_of(list, odd)), odd);
  assert.deepEqual(parts.value_of(pairs, parts.text_of(pairs, of)), of);
  assert.deepEqual([parts.text_of(list, []), parts.value_of(list, '')], ['', []]);
});

test('the form of a queue has every option, and asks for what was changed alone', () => {
  const types = readFileSync(join(PAGE, 'api', 'schema.ts'), 'utf8');
  const members = (name) =>
    [...new RegExp(`export interface ${name} \\{\n([^}]*)\\}`).exec(types)[1].matchAll(/^  (\w+)\?: ([^;]+);/gm)].map(
      ([, member, type]) => [member, /^(\w+Input)$/.exec(type)?.[1]],
    );
  const paths = (name) =>
    members(name).flatMap(([member, inner]) => (inner ? paths(inner).map((one) => `${member}.${one}`) : [member]));
  const known = new Set(parts.OPTION_FIELDS.map((one) => one.name));
  assert.deepEqual(
    paths('QueueOptionsInput').filter((one) => !known.has(one)),
    [],
  );
  const options = {
    tags: [{ name: 'team', value: 'a' }],
    alerts: { depth: 0, depthHigh: null, oldest: 60, depthTerms: { severity: 'usual', fireAfter: 0, clearAfter: 60 } },
    retry: { kind: 'immediate', to: 'head' },
  };
  const before = parts.texts_of(options);
  assert.deepEqual(
    [before.tags, before['alerts.depth'], before['alerts.depthHigh'], before['alerts.oldest']],
    ['[["team","a"]]', '0', '', '1m'],
  );
  assert.deepEqual(parts.changes_of(before, before, options), {});
  const after = { ...before, 'alerts.depthTerms.fireAfter': '5m', 'alerts.oldest': '', tags: '[["team","a"],["tier","1"]]' };
  assert.deepEqual(parts.changes_of(before, after, options), {
    tags: [
      { name: 'team', value: 'a' },
      { name: 'tier', value: '1' },
    ],
    alerts: {
      depth: 0,
      depthHigh: null,
      oldest: null,
      depthTerms: { severity: 'usual', fireAfter: 300, clearAfter: 60 },
    },
  });
});

test('what somebody looks for is all that it may be', () => {
  const filters = (text, ...how) => parts.searches_of(text, ...how).map((one) => one.filter);
  const id = '01890a5d-ac96-774b-bcce-b302099a8057';
  assert.deepEqual(filters(' ' + id.toUpperCase() + ' '), [{ ids: [id], history: true }]);
  assert.deepEqual(filters('customer=47=11', true, true), [
    { attributes: [{ name: 'customer', value: '47=11' }], history: true },
    { correlationId: 'customer=47=11', history: true },
    { reason: 'customer=47=11', history: true },
    { body: 'customer=47=11' },
  ]);
  assert.deepEqual(filters('corr-7'), [{ correlationId: 'corr-7' }, { reason: 'corr-7' }]);
  assert.deepEqual(filters('  '), []);
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
  for (const unseen of ['\u00a0', '\u2002', '\u2800', '\u3000', '\u3164', '\ufe0f', '\u{1d173}', '\ue000', '\u{e0041}'])
    assert.match(parts.visible_plain(unseen), /^‹U\+[0-9A-F]+›$/);
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

test('a filter form takes away what was emptied, and keeps what asks for none', () => {
  const query = new URLSearchParams('category=&code=7&assignee=');
  assert.deepEqual(parts.changes_by_form(query, { category: '', code: '', assignee: 'ann', reason: '' }), {
    category: '',
    code: null,
    assignee: 'ann',
    reason: null,
  });
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
