// Tests the parts of the dashboard that need no browser, and what it is made of.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
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
    'parts/json.ts',
    'edits/diff.tsx',
    'parts/format.ts',
    'parts/text.tsx',
    'queues/retry_model.ts',
    'letters/pager.ts',
    'letters/current.ts',
    'letters/letter_pages.ts',
    'edits/attribute_lines.ts',
    'letters/filter_query.ts',
    'parts/field_values.ts',
    'queues/queue_options.ts',
    'letters/find_query.ts',
    'edits/line_ends.ts',
    'parts/axis_end.ts',
    'parts/day_marks.ts',
    'queues/depth_gauge.tsx',
    'queues/queue_order.ts',
  ]) {
    const outfile = join(directory, basename(name).replace(/\.tsx?$/, '.mjs'));
    await build({
      entryPoints: [join(PAGE, name)],
      outfile,
      bundle: true,
      format: 'esm',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      logLevel: 'warning',
    });
    Object.assign(parts, await import(pathToFileURL(outfile)));
  }
  const memory = ['by_queue', 'dead_rates', 'queue_rates', 'server_rates'].map((name) => `export * from './${name}';`).join('\n');
  const outfile = join(directory, 'memory.mjs');
  await build({
    stdin: { contents: memory, resolveDir: join(PAGE, 'queues'), loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    logLevel: 'warning',
  });
  Object.assign(parts, await import(pathToFileURL(outfile)));
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
  // Texts that are too long to compare are still shown as they were and as they are.
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

test('a difference of millions of lines takes apart those around what was changed, and counts the others', () => {
  const text = ({ shown }) => shown.map((one) => (one.kind === 'folded' ? `… ${one.count}` : `${one.kind} ${one.text}`));
  const lines = '\n'.repeat(4 << 20);
  const shown = parts.difference(`${lines}a\nb\nc\nd\ne\n${lines}`, `${lines}a\nb\nC\nd\ne\n${lines}`);
  const around = ['same ', 'same a', 'same b', 'gone c', 'new C', 'same d', 'same e', 'same '];
  assert.deepEqual(text(shown), ['… 4194303', ...around, '… 4194304']);
  assert.deepEqual(text(parts.difference('a\nb\nc\nd\ne', 'a\nb\nc\nd\nE')), ['same a', 'same b', 'same c', 'same d', 'gone e', 'new E']);
  assert.deepEqual(text(parts.difference('a\na\n', 'a\na\na\n')), ['same a', 'same a', 'new a', 'same ']);
  assert.deepEqual(text(parts.difference('', 'a')), ['gone ', 'new a']);
  const other = parts.difference('a\n'.repeat(1 << 20), 'b\n'.repeat(1 << 20));
  assert.deepEqual([other.shown.length, other.rest], [10_000, 2 * ((1 << 20) + 1 - 5000)]);
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
  assert.match(wrong({ kind: 'durations' }, '1s, x'), /not a duration/);
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

test('the order of attributes says something among those of one name only', () => {
  const before = 'a: 1\nb: 2\nb: 3\nc: 4';
  assert.equal(parts.ordered_as(before, 'c: 4\n\nb: 2\na: 1\nb: 3'), before);
  assert.equal(parts.ordered_as(before, 'b: 3\nb: 2\na: 1\nc: 4'), 'a: 1\nb: 3\nb: 2\nc: 4');
  assert.equal(parts.ordered_as(before, 'd: 5\nc: 4\na: 1'), 'a: 1\nc: 4\nd: 5');
  assert.equal(parts.ordered_as(before, 'no attribute'), 'no attribute');
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
    ['separated', 'a\u2028b\u2029c'],
    ['na\u2028me', '\u2029'],
  ].map(([name, value]) => ({ name, value }));
  assert.deepEqual(parts.parse_lines(parts.lines_of(attributes)), attributes);
  assert.ok(!/[\u2028\u2029]/.test(parts.lines_of(attributes)));
  // The attributes are pasted as they are.
  assert.deepEqual(parts.parse_lines('pasted: a\u2028b'), [{ name: 'pasted', value: 'a\u2028b' }]);
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
  assert.deepEqual(filter('newer=zz&seqs=1,%20864691128455135233,x&minReplays=two'), {
    diedFrom: 'zz',
    seqs: ['1', '864691128455135233', 'x'],
    minReplays: 'two',
  });
  // Both bounds hold, so the later one counts.
  const bounds = (from) => filter(`newer=1h&diedFrom=${from}`).diedFrom;
  assert.equal(bounds('2026-03-01T09:30:00Z'), '2026-03-01T09:30:00.000Z');
  assert.equal(bounds('2026-03-01T08:30:00Z'), '2026-03-01T09:00:00.000Z');
  assert.equal(parts.is_empty(filter('')), true);
  assert.equal(parts.is_empty(parts.until_now(filter(''))), false);
  assert.ok(parts.until_now({ diedBefore: '2099-01-01T00:00:00Z' }).diedBefore < '2099');
  for (const diedBefore of ['2020-01-01T00:00:00Z', 'no time'])
    assert.equal(parts.until_now({ diedBefore }).diedBefore, diedBefore);
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

test('days are named below where they begin, as far as there is room for their names', () => {
  const days = [...Array(1).fill('a'), ...Array(24).fill('b'), ...Array(23).fill('c')];
  const marked = (all, step) => parts.day_marks(all, step).map(({ at }) => at);
  assert.deepEqual(marked(days, 22), [1, 25]);
  assert.deepEqual(marked(['a', 'a', ...days], 30), [0, 3, 27]);
  assert.deepEqual(marked(days, 2), [1]);
  assert.deepEqual(marked([undefined, undefined], 100), []);
  assert.deepEqual(parts.day_marks(['a', 'a', 'a', 'a', 'b'], 22), [{ at: 0, x: 0 }]);
  assert.deepEqual(parts.day_marks([...Array(40).fill('a'), ...Array(3).fill('b')], 22), [
    { at: 0, x: 0 },
    { at: 40, x: 880 },
  ]);
});

test('all that a gauge marks has its place, beyond a bound too', () => {
  assert.equal(parts.gauge_end(30, 100, [{ at: 100 }, { at: 20 }]), 100);
  assert.ok(parts.gauge_end(130, 100, [{ at: 100 }]) > 130);
  assert.ok(parts.gauge_end(3, 100, [{ at: 100 }, { at: 500 }]) > 500);
});

test('the words of a gauge go from its lowest mark to its highest, with the worst of those at one depth', () => {
  const words = (alerts, maxLength) => parts.marks_of({ options: { alerts, maxLength } }).map(parts.words_of);
  assert.deepEqual(words({ depth: 500, depthHigh: 100, depthCritical: 800 }), [
    'high above 100',
    'warning above 500',
    'critical above 800',
  ]);
  assert.deepEqual(words({ depth: null, depthHigh: null, depthCritical: null }), []);
  assert.deepEqual(words({ depth: 100, depthHigh: 100, depthCritical: 100 }), ['critical above 100']);
  assert.deepEqual(words({ depth: 0, depthHigh: 100, depthCritical: null }, 100), ['warning above 0', 'full at 100']);
  assert.deepEqual(
    words({ depth: 5, depthTerms: { severity: 'critical' }, depthCritical: 9, depthCriticalTerms: { severity: 'usual' } }),
    ['critical above 5', 'critical above 9'],
  );
});

test('queues stand in the order in which they hurt', () => {
  const queue = (name, more = {}) => ({
    name,
    bytes: 0,
    paused: { deliveries: false, sends: false },
    ...more,
    counts: { ready: 0, leased: 0, waiting: 0, dead: 0, ...more.counts },
  });
  const all = [
    queue('a'),
    queue('b', { counts: { dead: 3 } }),
    queue('c', { counts: { dead: 9 } }),
    queue('d'),
    queue('e', { paused: { deliveries: false, sends: true } }),
    queue('f', { alerts: [{ rule: 'depth', critical: false }] }),
    queue('g', { alerts: [{ rule: 'depth', critical: false }, { rule: 'oldest', critical: true }] }),
  ];
  const statistics = new Map([['d', { sent: 0, acked: 0, dead: 0.5 }]]);
  const names = (order) => parts.sorted(all, order, statistics).map((one) => one.name).join('');
  assert.equal(names('trouble'), 'gfedcba');
  assert.equal(names('dead'), 'cbadefg');
  const quiet = (one) => parts.is_quiet(one, statistics.get(one.name));
  assert.deepEqual(all.filter(quiet).map((one) => one.name), ['a']);
  assert.ok(!parts.is_quiet(all[0], { sent: 0.2, acked: 0, dead: 0 }));
  assert.ok(!parts.is_quiet(queue('w', { counts: { waiting: 1 } })));
});

test('what dies into a queue and what leaves it are its rates, and it stands above its sources', () => {
  const [before, hour] = ['2026-03-01T08:00:00Z', '2026-03-01T09:00:00Z'];
  let dlq = { id: 1, name: 'dlq' };
  const look = (at, dead, ...totals) => {
    const { lines, ...rates } = parts.note_dead(dlq, {
      at,
      dead,
      arrivalsLastMinute: 30,
      hours: totals.map((total, i) => ({ from: [before, hour][i], total })),
    });
    return rates;
  };
  assert.deepEqual(look('2026-03-01T08:59:50Z', 100, 500), { died: 0.5 });
  assert.deepEqual(look('2026-03-01T09:00:00Z', 140, 550, 0), { died: 5, left: 1 });
  assert.deepEqual(look('2026-03-01T09:00:30Z', 120, 550, 30), { died: 2, left: 1.5 });
  // What was parked there has come, though it died elsewhere.
  assert.deepEqual(look('2026-03-01T09:00:40Z', 140, 550, 30), { died: 2, left: 1.2 });
  assert.deepEqual(look('2026-03-01T09:02:00Z', 120, 550, 30), { died: 0.5 });
  // The totals of a deleted queue are forgotten. A later queue of that name is another queue.
  const rates = { sent: 5, acked: 0 };
  parts.note_totals([{ ...dlq, totals: rates, counts: { dead: 7 } }]);
  const risen = { ...dlq, totals: rates, counts: { dead: 9 } };
  assert.equal(parts.dead_since(risen), 2);
  parts.forget_deleted([dlq]);
  assert.equal(parts.dead_since(risen), 2);
  assert.ok('left' in look('2026-03-01T09:02:10Z', 120, 550, 30));
  dlq = { id: 2, name: 'dlq' };
  assert.deepEqual(look('2026-03-01T09:02:20Z', 0, 0, 0), { died: 0.5 });
  parts.forget_deleted([dlq]);
  assert.equal(parts.dead_since(risen), 0);
  dlq = { id: 1, name: 'dlq' };
  assert.deepEqual(look('2026-03-01T09:02:30Z', 120, 550, 30), { died: 0.5 });
  const paused = { deliveries: false, sends: false };
  const all = ['a', 'b', 'dlq'].map((name) => ({ name, paused, counts: { ready: 0, leased: 0, waiting: 0, dead: 0 } }));
  const statistics = new Map([
    ['a', { sent: 9, acked: 0, dead: 9 }],
    ['b', { sent: 1, acked: 0, dead: 1 }],
    ['dlq', { sent: 10, acked: 0, dead: 0, died: 10, left: 0 }],
  ]);
  assert.deepEqual(parts.sorted(all, 'trouble', statistics).map((one) => one.name), ['dlq', 'a', 'b']);
  assert.equal(parts.rising(all[2], statistics.get('dlq')), '10/s come');
});

test('a rate of the server ends when nothing has come for its time, as far as that can be known', () => {
  const queue = { id: 9, name: 'ceased' };
  const note = (sent, seconds) => parts.note_standing({ ...queue, totals: { sent, acked: 0, deadLettered: 0 } }, seconds * 1000);
  const text = (sent, oneMinute, fiveMinutes) =>
    parts.rates_text({ oneMinute, fiveMinutes }, { ...queue, totals: { sent, acked: 0, deadLettered: 0 } }, 'sent');
  const [one, five] = [1 / 60, 1 / 300]; // what one message adds
  assert.equal(text(0, 0, 0), 'none yet');
  assert.equal(text(7, one, five), '1/min; 0.2/min over five minutes');
  assert.equal(text(7, one * 0.37, five * 0.8), '0.4/min; 0.2/min over five minutes');
  // Less than a message of a minute ago would have left.
  assert.equal(text(7, one * 0.36, five * 0.8), 'none for 1 min; 0.2/min over five minutes');
  assert.equal(text(7, one * 0.01, five * 0.36), 'none for 5 min');
  // After a flood, what the page has seen.
  note(7, 0);
  note(60_007, 10);
  assert.equal(text(60_007, 900, 190), '900/s; 190/s over five minutes');
  note(60_007, 69);
  assert.equal(parts.rate_now({ oneMinute: 370, fiveMinutes: 155 }, queue, 'sent'), 370);
  note(60_007, 71);
  assert.equal(parts.rate_now({ oneMinute: 360, fiveMinutes: 154 }, queue, 'sent'), 0);
  assert.equal(text(60_007, 360, 154), 'the last one 1 min ago; 154/s over five minutes');
  note(60_007, 320);
  assert.equal(text(60_007, 6, 67), 'the last one 5 min ago');
  parts.forget_deleted([]);
  assert.equal(text(60_007, 6, 67), '6.0/s; 67/s over five minutes');
});

test('half of an axis of counts is a whole count', () => {
  const ends = [0, 1, 2, 3, 5, 9, 11, 41, 101].map(parts.axis_end);
  assert.deepEqual(ends, [2, 2, 2, 4, 10, 10, 20, 50, 200]);
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

// Makes a list of numbers. Each call gives some of them, as the API gives dead letters.
function numbers(length, reads, { one_way = false } = {}) {
  const reader = (at, step) => async (start, max) => {
    const from = start === null ? at : Number(start);
    reads.push([from, step, max]);
    const items = [];
    for (let i = from; items.length < max && i >= 0 && i < length; i += step) items.push(i);
    const end = from + step * items.length;
    return { items, next: end >= 0 && end < length ? String(end) : null };
  };
  const find = async (index) => {
    const near = index - 70;
    return { index: near, after: reader(near, 1), before: reader(near - 1, -1) };
  };
  const forwards = reader(0, 1);
  const key = (one) => one;
  return one_way ? { key, forwards } : { key, forwards, backwards: reader(length - 1, -1), find };
}

// Makes a list of numbers from which some can be discarded while it is read. A call looks at up to `examined` of them.
function shrinking(length, examined = Infinity) {
  const gone = new Set();
  const reader = (first, step) => async (start, max) => {
    const items = [];
    let at = start === null ? first : Number(start) + step;
    const is_inside = () => at >= 0 && at < length;
    for (let looked = 0; is_inside() && items.length < max && looked < examined; at += step, ++looked)
      if (!gone.has(at)) items.push(at);
    return { items, next: is_inside() ? String(at - step) : null };
  };
  const source = { key: (one) => one, forwards: reader(0, 1) };
  const backwards = reader(length - 1, -1);
  return { source, backwards, discard: (...those) => those.forEach((one) => gone.add(one)), gone };
}

for (const [how, examined] of [
  ['at once', Infinity],
  ['a few records a call', 70],
])
  test(`what is discarded in the middle of a long list leaves no letter twice and no row empty: read ${how}`, async () => {
    const { source, discard, gone } = shrinking(6000, examined);
    const pager = new parts.Pager(source, () => {});
    for (let at = 0; !pager.is_whole; at = pager.length - 1) await pager.show(at, at);
    assert.equal(pager.at(2000), undefined);
    discard(2001, 2002, 2003, 2150, 2777, ...Array.from({ length: 450 }, (_, i) => 3000 + i));
    const left = Array.from({ length: 6000 }, (_, i) => i).filter((one) => !gone.has(one));
    // Scrolls from the end to the beginning and back, and stops at each row as a person may.
    for (let at = pager.length - 1; at >= 0; at -= 20) await pager.show(Math.max(0, at - 30), at);
    const seen = [];
    for (let at = 0; at < pager.length; ++at) {
      await pager.show(at, Math.min(at + 30, pager.length - 1));
      for (let i = at; i <= Math.min(at + 30, pager.length - 1); ++i) assert.notEqual(pager.at(i), undefined, `row ${i}`);
      seen.push(pager.at(at));
    }
    assert.deepEqual(seen, left);
    assert.equal(pager.length, left.length);
  });

test('what is discarded of a list that was entered at its end leaves no letter twice and no row empty either', async () => {
  const { source, backwards, discard, gone } = shrinking(6000);
  const pager = new parts.Pager({ ...source, backwards }, () => {});
  pager.expect(6000);
  await pager.show(0, 30);
  for (let at = 5999; at > 1000; at -= 100) await pager.show(at - 30, at);
  discard(4001, 4100, ...Array.from({ length: 250 }, (_, i) => 4300 + i));
  for (let at = 1000; at + 30 <= 6000; at += 20) {
    await pager.show(at, at + 30);
    const seen = Array.from({ length: 30 }, (_, i) => pager.at(at + i));
    assert.ok(seen.every((one, i) => one !== undefined && (i === 0 || one > seen[i - 1])), `${at}: ${seen}`);
  }
  const all = pager.all().filter((one) => !gone.has(one));
  assert.equal(new Set(all).size, all.length);
});

test('a list that was entered at its end is as short as what others have left of it', async () => {
  const { source, backwards, discard } = shrinking(10_000);
  const pager = new parts.Pager({ ...source, backwards }, () => {});
  pager.expect(10_000);
  await pager.show(0, 30);
  await pager.show(9970, 9999);
  assert.equal(pager.at(9999), 9999);
  discard(...Array.from({ length: 2000 }, (_, i) => 4000 + i));
  pager.expect(8000);
  assert.equal(pager.length, 8000);
  const place = (one) => (one < 4000 ? one : one - 2000);
  for (const first of [7970, 0, 3990, 6000]) {
    await pager.show(first, first + 29);
    const seen = Array.from({ length: 30 }, (_, i) => pager.at(first + i));
    assert.deepEqual(seen.map(place), Array.from({ length: 30 }, (_, i) => first + i));
  }
  assert.equal(new Set(pager.all()).size, pager.all().length);
});

test('a long list keeps the pages near what is seen, and reads the others again', async () => {
  const reads = [];
  const pager = new parts.Pager(numbers(10_000, reads), () => {});
  for (let at = 0; !pager.is_whole; at = pager.length - 1) await pager.show(at, at);
  assert.deepEqual([pager.length, reads.length], [10_000, 50]);
  assert.ok(pager.all().length <= 15 * 200);
  assert.equal(pager.at(5000), undefined);
  await pager.show(5000, 5030);
  assert.deepEqual([pager.at(5000), pager.at(5030), reads.length], [5000, 5030, 51]);
  await Promise.all([pager.show(3000, 3010), pager.show(3000, 3010)]);
  assert.deepEqual([pager.at(3005), reads.length], [3005, 52]);
  await pager.show(0, 10);
  assert.deepEqual([pager.at(0), pager.at(10)], [0, 10]);
});

test('a long list whose length is known is read at its end, and between, in a few calls', async () => {
  const reads = [];
  const pager = new parts.Pager(numbers(1_000_000, reads), () => {});
  pager.expect(1_000_000);
  const shown = async (first, last) => {
    await pager.show(first, last);
    for (let i = first; i <= last; ++i) assert.equal(pager.at(i), i);
  };
  await shown(0, 40);
  await shown(999_960, 999_999);
  assert.equal(reads.length, 2);
  await shown(500_000, 500_040);
  assert.ok(reads.length <= 5, `${reads.length}`);
  for (let at = 500_000; at < 510_000; at += 30) await shown(at, at + 40);
  for (let at = 510_000; at > 495_000; at -= 30) await shown(at, at + 40);
  assert.ok(pager.all().length < 10_000);
  assert.ok(reads.length < 220, `${reads.length}`);
  await shown(20, 60);
  for (let at = 0; at < 1500; at += 30) await shown(at, at + 40);
  assert.equal(pager.length, 1_000_000);
});

test('a long list that goes one way is read on in large steps, of which little is kept', async () => {
  const reads = [];
  const pager = new parts.Pager(numbers(50_000, reads, { one_way: true }), () => {});
  pager.expect(50_000);
  await pager.show(49_980, 49_999);
  assert.equal(pager.at(49_999), 49_999);
  assert.ok(reads.length <= 52, `${reads.length}`);
  assert.ok(pager.all().length <= 5000);
});

test('a list that is shorter than it was said to be, ends where it ends', async () => {
  const pager = new parts.Pager(numbers(500, []), () => {});
  pager.expect(700);
  await pager.show(0, 40);
  assert.equal(pager.length, 700);
  await pager.show(450, 480);
  assert.deepEqual([pager.at(450), pager.length], [450, 500]);
  const empty = new parts.Pager(numbers(0, []), () => {});
  empty.expect(3);
  await empty.show(0, 0);
  assert.equal(empty.length, 0);
});

test('the current letter is found again where it is now, and its place where it is gone', () => {
  const list_of = (ids, { length = ids.length, is_whole = true } = {}) => ({
    length,
    is_whole,
    at: (index) => (ids[index] === undefined ? undefined : { id: ids[index] }),
    place_of: (is_it) => (ids.some((id) => is_it({ id })) ? ids.findIndex((id) => is_it({ id })) : undefined),
  });
  const standing = (list, index, id, around = parts.AROUND) => parts.standing_of(list, { index, id }, around);
  const list = list_of(['e', 'd', 'c', 'b', 'a']);
  assert.deepEqual(standing(list, 1, 'd'), { index: 1, id: 'd' });
  // The list has the newest first, and two more letters have died.
  assert.deepEqual(standing(list, 0, 'c'), { index: 2, id: 'c' });
  // Some letters before it were discarded.
  assert.deepEqual(standing(list, 7, 'b'), { index: 3, id: 'b' });
  // The letter itself is gone.
  assert.deepEqual(standing(list, 1, 'x'), { index: 1, id: 'd' });
  assert.deepEqual(standing(list, 9, 'x'), { index: 4, id: 'a' });
  // Nobody has chosen a letter yet. The letter in that place is the current one, once it is read.
  assert.deepEqual(standing(list, 2, undefined, 0), { index: 2, id: 'c' });
  assert.deepEqual(standing(list_of(['e'], { length: 5 }), 2, undefined, 0), { index: 2, id: undefined });
  // While the list is still read, the letter may yet come, and no other letter is taken for it.
  for (const part of [list_of(['e', 'd'], { length: 5 }), list_of(['e', 'd'], { is_whole: false })])
    assert.deepEqual(standing(part, 1, 'a'), { index: 1, id: undefined });
  assert.deepEqual(standing(list_of([]), 3, 'a'), { index: 0, id: undefined });
});

test('a time between is found that about so many letters are older than, however they died', async () => {
  const even = Array.from({ length: 100_000 }, (_, i) => i * 100);
  const bursts = Array.from({ length: 100_000 }, (_, i) => (i < 90_000 ? i % 50 : 1e9 + i * 1000)).sort((a, b) => a - b);
  for (const times of [even, bursts])
    for (const share of [0.01, 0.5, 0.93, 0.99]) {
      let counts = 0;
      const count_before = async (ms) => (++counts, times.filter((one) => one < ms).length);
      const ends = [times[0], times.at(-1)];
      const { ms, count } = await parts.time_after(share * times.length, times.length, ends, count_before);
      assert.equal(count, times.filter((one) => one < ms).length);
      assert.ok(Math.abs(count - share * times.length) < 2000, `${share}: ${count}`);
      assert.ok(counts <= 30);
    }
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
