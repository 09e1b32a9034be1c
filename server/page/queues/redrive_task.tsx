// Progress shows how far a redrive is, and Left which letters it leaves in place.
import type { LeftInPlace, TaskStatus } from '../api/schema';
import { Badge } from '../parts/controls';
import { count_text, short_count, word_of } from '../parts/format';
import { Text } from '../parts/text';

const left_rows = (left: LeftInPlace | undefined): [string, number][] =>
  Object.entries(left ?? {})
    .filter(([, count]) => Number(count) > 0)
    .map(([name, count]) => [name, Number(count)]);
export const left_sum = (left: LeftInPlace | undefined) => left_rows(left).reduce((sum, [, count]) => sum + count, 0);

const LEFT: Record<string, string> = {
  abandoned: 'abandoned',
  replayLimit: 'redriven too often already',
  version: 'the version that failed still runs',
  edit: 'the edit does not fit',
  noQueue: 'the queue that they came from is deleted',
  leased: 'a consumer of the dead letter queue has them',
};

// The reasons why a redrive of one letter left it in place. why_left() is undefined if no letter was as it was asked
// for.
const LEFT_ONE: Record<keyof LeftInPlace, string> = {
  abandoned: 'the letter is abandoned',
  replayLimit: 'it was redriven too often already',
  version: 'the version that failed still runs',
  edit: 'the edit does not fit it',
  noQueue: 'the queue that it came from is deleted',
  leased: 'a consumer of the dead letter queue has it',
};
export function why_left(left: LeftInPlace | undefined): keyof LeftInPlace | undefined {
  return (Object.keys(LEFT_ONE) as (keyof LeftInPlace)[]).find((one) => (left?.[one] ?? 0) > 0);
}
export const left_text = (why: keyof LeftInPlace) => LEFT_ONE[why];

export function Left({ left }: { left: LeftInPlace | undefined }) {
  const rows = left_rows(left);
  if (rows.length === 0) return null;
  return (
    <ul class="left">
      {rows.map(([name, count]) => (
        <li>
          <b>{count_text(count)}</b> stay: {LEFT[name] ?? name}
        </li>
      ))}
    </ul>
  );
}

const STATES: Record<string, string> = {
  running: 'info',
  done: 'done',
  cancelled: 'warning',
  failed: 'critical',
  interrupted: 'critical',
  canaryFailed: 'critical',
};
export const State = ({ of }: { of: string }) => <Badge kind={STATES[of] ?? 'info'}>{word_of(of)}</Badge>;

const seen_of = (task: TaskStatus) => task.moved + task.parked + left_sum(task.left);

export function Progress({ task }: { task: TaskStatus }) {
  // The total is an estimate if a filter narrows it. So a task that is done counts as complete with what it saw.
  const max = Math.max(task.state === 'done' ? seen_of(task) : Math.max(task.total, seen_of(task)), 1);
  return <progress max={max} value={seen_of(task)} aria-label={`Progress of redrive ${task.task}`} />;
}

export const action_text = (task: TaskStatus) => (task.action === 'park' ? 'Park' : 'Redrive');

export function TaskLine({ task }: { task: TaskStatus }) {
  return (
    <div class="task-line">
      <a href={`/redrives/${task.task}`}>
        {action_text(task)} {task.task}
      </a> <Text of={task.queue} /> <State of={task.state} />
      <Progress task={task} />
      <span class="faint">
        {short_count(task.moved + task.parked)} of {short_count(task.total)}
      </span>
    </div>
  );
}
