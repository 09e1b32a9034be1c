// What was changed, line by line.
import { visible } from './text';

export type DiffLine = { kind: 'same' | 'gone' | 'new'; text: string };

// Beyond this the longest common part costs too much, and all is shown as changed.
const MAX_CELLS = 4_000_000;
const SHOWN = 2000;

export function diff_lines(before: string[], after: string[]): DiffLine[] {
  const [n, m] = [before.length, after.length];
  const gone = (text: string): DiffLine => ({ kind: 'gone', text });
  const fresh = (text: string): DiffLine => ({ kind: 'new', text });
  if (n * m > MAX_CELLS) return [...before.map(gone), ...after.map(fresh)];
  // common[i][j]: how many lines before[i..] and after[j..] have in common at most.
  const common = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; --i) {
    for (let j = m - 1; j >= 0; --j)
      common[i][j] = before[i] === after[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < n || j < m) {
    if (i < n && j < m && before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i++] });
      ++j;
    } else if (i < n && (j === m || common[i + 1][j] >= common[i][j + 1])) {
      lines.push(gone(before[i++]));
    } else {
      lines.push(fresh(after[j++]));
    }
  }
  return lines;
}

const SIGNS = { same: ' ', gone: '−', new: '+' };
const NAMES = { same: '', gone: 'removed: ', new: 'added: ' };

export function Diff({ before, after, label }: { before: string; after: string; label: string }) {
  if (before === after) return <p class="faint">Nothing is changed.</p>;
  const lines = diff_lines(before.split('\n'), after.split('\n'));
  return (
    <div class="diff mono" role="group" aria-label={label} tabIndex={0}>
      {lines.slice(0, SHOWN).map((line) => (
        <div class={line.kind}>
          <span class="sign" aria-hidden="true">
            {SIGNS[line.kind]}
          </span>
          <span class="unseen">{NAMES[line.kind]}</span>
          {visible(line.text)}
        </div>
      ))}
      {lines.length > SHOWN && <p class="faint">And {lines.length - SHOWN} more lines.</p>}
    </div>
  );
}
