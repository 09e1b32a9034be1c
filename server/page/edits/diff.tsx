// TextDiff shows what was changed, line by line.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { count_text, plural } from '../parts/format';
import { readable } from '../parts/json';
import { visible } from '../parts/text';

export type DiffLine = { kind: 'same' | 'gone' | 'new'; text: string };

// Above this size it costs too much to find the longest common part between the first and the last change. Everything
// between them is then shown as changed.
const MAX_CELLS = 4_000_000;
const MOST_LINES = 5000; // lines between the first change and the last that are compared; the others are counted
const SHOWN = 2000;
const AROUND = 3; // equal lines that are shown beside a change
const LINE = 600; // a longer line is cut to so many characters around its change

const as = (kind: DiffLine['kind'], lines: string[]): DiffLine[] => lines.map((text) => ({ kind, text }));

// Counts the lines or characters that are equal at the start, and of the rest those that are equal at the end.
function equal_ends<T>(before: ArrayLike<T>, after: ArrayLike<T>): [first: number, last: number] {
  const most = Math.min(before.length, after.length);
  let first = 0;
  while (first < most && before[first] === after[first]) ++first;
  let last = 0;
  while (last < most - first && before[before.length - 1 - last] === after[after.length - 1 - last]) ++last;
  return [first, last];
}

function changed_part(before: string[], after: string[]): DiffLine[] {
  const [n, m] = [before.length, after.length];
  if (n * m > MAX_CELLS) return [...as('gone', before), ...as('new', after)];
  // common[i][j]: how many lines before[i..] and after[j..] have in common at most.
  const common = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; --i) {
    for (let j = m - 1; j >= 0; --j)
      common[i]![j] =
        before[i] === after[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    if (i < n && j < m && before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i++]! });
      ++j;
    } else if (i < n && (j === m || common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push({ kind: 'gone', text: before[i++]! });
    } else {
      lines.push({ kind: 'new', text: after[j++]! });
    }
  }
  return lines;
}

export function diff_lines(before: string[], after: string[]): DiffLine[] {
  const [first, last] = equal_ends(before, after);
  return [
    ...as('same', before.slice(0, first)),
    ...changed_part(before.slice(first, before.length - last), after.slice(first, after.length - last)),
    ...as('same', before.slice(before.length - last)),
  ];
}

type Shown = DiffLine | { kind: 'folded'; count: number };

// Leaves out the equal lines that are far from every change.
export function folded(lines: DiffLine[]): Shown[] {
  const shown: Shown[] = [];
  let run: DiffLine[] = [];
  const end_run = (is_last: boolean) => {
    const head = shown.length === 0 ? 0 : AROUND;
    const tail = is_last ? 0 : AROUND;
    const count = run.length - head - tail;
    if (count > 1)
      shown.push(...run.slice(0, head), { kind: 'folded', count }, ...run.slice(run.length - tail, run.length));
    else shown.push(...run);
    run = [];
  };
  for (const line of lines) {
    if (line.kind === 'same') {
      run.push(line);
      continue;
    }
    if (run.length > 0) end_run(false);
    shown.push(line);
  }
  if (run.length > 0) end_run(true);
  return shown;
}

function count_lines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) ++count;
  return count;
}

// Finds the start of the line that is `lines` lines before the position `at`.
function line_before(text: string, at: number, lines: number): number {
  let start = at;
  for (let i = 0; i <= lines; ++i) {
    const end = start === 0 ? -1 : text.lastIndexOf('\n', start - 1);
    if (end < 0) return 0;
    start = end;
  }
  return start + 1;
}

// Finds the end of the line that is `lines` lines behind the position `at`.
function line_behind(text: string, at: number, lines: number): number {
  let end = text.indexOf('\n', at);
  for (let i = 0; i < lines && end >= 0; ++i) end = text.indexOf('\n', end + 1);
  return end < 0 ? text.length : end;
}

function first_lines(text: string): { lines: string[]; rest: number } {
  const end = line_behind(text, 0, MOST_LINES - 1);
  return { lines: text.slice(0, end).split('\n'), rest: count_lines(text, end, text.length) };
}

// Returns what is shown, and how many lines are not compared. Only the lines between the first change and the last, and
// some around them, are taken apart, since a text may have millions of lines.
export function difference(before: string, after: string): { shown: Shown[]; rest: number } {
  const [first, last] = equal_ends(before, after);
  let from = line_before(before, first, AROUND);
  let to = line_behind(before, before.length - last, AROUND);
  let head = count_lines(before, 0, from);
  let tail = count_lines(before, to, before.length);
  // A single line is shown rather than folded.
  if (head === 1) [from, head] = [0, 0];
  if (tail === 1) [to, tail] = [before.length, 0];
  const was = first_lines(before.slice(from, to));
  const is = first_lines(after.slice(from, after.length - (before.length - to)));
  const rest = was.rest + is.rest;
  const shown = folded(diff_lines(was.lines, is.lines));
  if (head > 0) shown.unshift({ kind: 'folded', count: head });
  if (tail > 0 && rest === 0) shown.push({ kind: 'folded', count: tail });
  return { shown, rest };
}

// Cuts a long line to the part around its first difference from the line that matches it on the other side.
export function shortened(text: string, other: string | undefined): string {
  if (text.length <= LINE) return text;
  const [first] = other === undefined ? [0] : equal_ends(text, other);
  const from = Math.max(0, Math.min(first - 80, text.length - LINE));
  const rest = text.length - from - LINE;
  return `${from > 0 ? `…(${from} characters)…` : ''}${text.slice(from, from + LINE)}${rest > 0 ? `…(${rest} characters)` : ''}`;
}

// Pairs the n-th removed line of a change with the n-th added one.
function partners(lines: readonly Shown[]): (string | undefined)[] {
  const found: (string | undefined)[] = Array(lines.length);
  for (let at = 0; at < lines.length;) {
    if (lines[at]!.kind !== 'gone') {
      ++at;
      continue;
    }
    let fresh = at;
    while (lines[fresh]?.kind === 'gone') ++fresh;
    for (let i = at, j = fresh; i < fresh && lines[j]?.kind === 'new'; ++i, ++j) {
      found[i] = (lines[j] as DiffLine).text;
      found[j] = (lines[i] as DiffLine).text;
    }
    at = fresh;
  }
  return found;
}

// Marks the spaces at the end of a changed line, since they may be all that differs.
function text_of(line: DiffLine, other: string | undefined): ComponentChildren {
  const text = shortened(line.text, other);
  const said = line.kind === 'same' ? text : text.replace(/ +$/, '');
  const spaces = text.length - said.length;
  if (spaces === 0) return visible(text);
  return (
    <>
      {visible(said)}
      <span class="mark" title={`${plural(spaces, 'space')} at the end`}>
        {'·'.repeat(spaces)}
      </span>
    </>
  );
}

const SIGNS = { same: ' ', gone: '−', new: '+' };
const NAMES = { same: '', gone: 'removed: ', new: 'added: ' };

export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  const { shown: lines, rest } = useMemo(() => difference(before, after), [before, after]);
  if (before === after) return <p class="faint">Nothing is changed.</p>;
  const others = partners(lines);
  const unshown = Math.max(0, lines.length - SHOWN);
  return (
    <div class="diff mono" role="group" aria-label={label} tabIndex={0}>
      {lines.slice(0, SHOWN).map((line, i) =>
        line.kind === 'folded' ? (
          <div class="faint">… {count_text(line.count)} equal lines</div>
        ) : (
          <div class={line.kind}>
            <span class="sign" aria-hidden="true">
              {SIGNS[line.kind]}
            </span>
            <span class="unseen">{NAMES[line.kind]}</span>
            {text_of(line, others[i])}
          </div>
        ),
      )}
      {unshown > 0 && <p class="faint">And {plural(unshown, 'more line')}, not shown.</p>}
      {rest > 0 && <p class="note warning">The rest is not compared: {plural(rest, 'line')} in both texts together.</p>}
    </div>
  );
}

// Compares JSON as it is indented. If only the notation differs (an escape, a space), it compares the texts as they are
// written.
export function TextDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const was = useMemo(() => readable(before), [before]);
  const is = useMemo(() => readable(after), [after]);
  if (was !== is || before === after) return <Diff before={was} after={is} label={label} />;
  return (
    <>
      <p class="faint">The JSON is the same, but it is written differently.</p>
      <Diff before={before} after={after} label={label} />
    </>
  );
}
