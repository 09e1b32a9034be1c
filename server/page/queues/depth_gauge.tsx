// DepthGauge shows how full a dead letter queue is, compared with its bound and with the depths of its alerts.
import type { QueueInfo } from '../api/schema';
import { count_text, short_count } from '../parts/format';

interface Mark {
  at: number;
  what: string;
  kind: 'warning' | 'critical';
}

// An alert is named after its severity. Only the second of the three is called a high depth if it is a warning.
function alert_mark(usual: 'warning' | 'high' | 'critical', at?: number | null, severity = 'usual'): Mark | null {
  if (at === undefined || at === null) return null;
  const kind = severity === 'critical' || severity === 'warning' ? severity : usual === 'critical' ? usual : 'warning';
  return { at, what: usual === 'high' && kind === 'warning' ? usual : kind, kind };
}

const RANKS = ['warning', 'high', 'critical', 'full'];
const rank = (mark: Mark) => RANKS.indexOf(mark.what);

// Returns the marks from the lowest to the highest. If several have the same depth, only the worst of them stays.
export function marks_of({ options }: Pick<QueueInfo, 'options'>): Mark[] {
  const { maxLength = 0, alerts } = options ?? {};
  const marks = [
    alert_mark('warning', alerts?.depth, alerts?.depthTerms?.severity),
    alert_mark('high', alerts?.depthHigh, alerts?.depthHighTerms?.severity),
    alert_mark('critical', alerts?.depthCritical, alerts?.depthCriticalTerms?.severity),
    maxLength > 0 ? ({ at: maxLength, what: 'full', kind: 'critical' } as const) : null,
  ].filter((one) => one !== null);
  marks.sort((a, b) => a.at - b.at || rank(b) - rank(a));
  return marks.filter((one, i) => one.at !== marks[i - 1]?.at);
}

const is_passed = (dead: number) => (mark: Mark) => (mark.what === 'full' ? dead >= mark.at : dead > mark.at);

export const words_of = ({ at, what }: Mark) => `${what} ${what === 'full' ? 'at' : 'above'} ${short_count(at)}`;

// The bound may be lower than the number of letters, or than the depth of an alert. The gauge has room for all of them.
export function gauge_end(dead: number, bound: number, marks: readonly { at: number }[]): number {
  const highest = Math.max(...marks.map((one) => one.at), dead, 1);
  return highest === bound ? bound : highest * 1.1;
}

export function DepthGauge({ info, dead }: { info: QueueInfo; dead: number }) {
  const marks = marks_of(info);
  if (marks.length === 0) return null;
  const bound = info.options?.maxLength ?? 0;
  const end = gauge_end(dead, bound, marks);
  const passed = marks.filter(is_passed(dead));
  const worst = passed.some((one) => one.kind === 'critical') ? 'critical' : passed.length > 0 ? 'warning' : 'done';
  const words = marks.map(words_of);
  const beyond = bound > 0 && dead > bound ? `${count_text(dead - bound)} above its bound` : '';
  const all = beyond ? [...words, beyond] : words;
  return (
    <div class="gauge">
      <div
        role="meter"
        aria-label="Depth"
        aria-valuemin={0}
        aria-valuemax={end}
        aria-valuenow={dead}
        aria-valuetext={`${count_text(dead)} dead letters: ${all.join(', ')}`}
      >
        <svg viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
          <rect class={worst} width={(dead / end) * 1000} height="12" />
          {marks.map((one) => (
            <line class={one.kind} x1={(one.at / end) * 1000} x2={(one.at / end) * 1000} y1="0" y2="12" />
          ))}
        </svg>
      </div>
      <span class="faint">
        {words.join(' · ')}
        {beyond && <strong class="dead"> · {beyond}</strong>}
      </span>
    </div>
  );
}
