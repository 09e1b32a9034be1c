// The calls that change many dead letters. Each call changes a part of them.
import { call } from '../api/client';
import { changes_of, TITLES, type Verb, type Wanted } from './bulk_verbs';
import { is_empty } from './filter_query';
import { count_text, letters_text } from '../parts/format';
import { note_started } from '../queues/started';

// Every try has the same request id, so that a park has its effect only once. `query` is the filter as an address has
// it.
export type Asked = Wanted & { request: string; query: string };

export interface Counted {
  changed: number;
  refused: number;
  unchanged: number;
  stopped: boolean; // whether it ended before all were done
}
export const NONE: Counted = { changed: 0, refused: 0, unchanged: 0, stopped: false };

export const done_of = (sum: Counted): number => sum.changed + sum.unchanged + sum.refused;

// The progress of a change: what is done, and where the next call starts.
export interface BulkProgress {
  sum: Counted;
  from?: string;
}

// Makes a call for each remaining part, one after the other, until the last one or until `stopped` says so.
export async function in_parts(
  asked: Asked,
  text: string,
  tried_at: number | null, // null: the letters are only counted
  told: (now: BulkProgress) => void,
  stopped: () => boolean,
  { sum, from }: BulkProgress = { sum: NONE },
): Promise<Counted> {
  const { verb, queue, filter } = asked;
  const dryRun = tried_at === null;
  if (verb === 'park') return park(asked, tried_at, told);
  do {
    const selection = { filter, all: is_empty(filter), dryRun, from };
    const part =
      verb === 'discard'
        ? await call('discardDeadLetters', { path: { queue }, body: { selection } })
        : await call('changeDeadLetters', { path: { queue }, body: { selection, ...changes_of(verb, text) } });
    sum = {
      changed: sum.changed + part.changed,
      refused: sum.refused + part.refused,
      unchanged: sum.unchanged + part.unchanged,
      stopped: false,
    };
    from = part.next ?? undefined;
    told({ sum, from });
  } while (from && !stopped());
  return { ...sum, stopped: from !== undefined };
}

// Counts the letters that would change. It counts with a note or an assignee that no letter has, so that all matching
// letters count.
export function count_all(asked: Asked, told: (now: BulkProgress) => void, stopped: () => boolean): Promise<Counted> {
  const probe = asked.verb === 'assign' || asked.verb === 'note' ? '\u2022' : '';
  return in_parts(asked, probe, null, told, stopped);
}

// Says what became of the letters. `after_loss`: the answer to an earlier try was lost, and that try may have discarded
// or parked the letters that are no longer found.
export function told_of(verb: Verb, sum: Counted, count: number, after_loss: boolean): string {
  const gone = count - done_of(sum);
  if ((verb === 'discard' || verb === 'park') && after_loss && !sum.stopped && gone > 0)
    return `${TITLES[verb]}: ${letters_text(sum.changed)}; ${count_text(gone)} had gone already, by the try whose answer was lost or by others.`;
  const more = `${sum.unchanged ? `, ${count_text(sum.unchanged)} needed no change` : ''}${sum.refused ? `, ${count_text(sum.refused)} refused` : ''}`;
  return sum.stopped
    ? `${TITLES[verb]}: stopped: ${count_text(sum.changed)} of ${count_text(count)} done${more}. The rest is as it was.`
    : `${TITLES[verb]}: ${letters_text(sum.changed)}${more}.`;
}

const left_of = (left: object | undefined): number =>
  Object.values(left ?? {}).reduce((sum: number, one) => sum + Number(one), 0);

const LOOK_MS = 700;

// A park is one call, which is answered only at the end. Its task tells the progress until then.
function watch_park(queue: string, told: (now: BulkProgress) => void): () => void {
  const look = async () => {
    const { tasks = [] } = await call('listRedrives').catch(() => ({ tasks: [] }));
    const task = tasks.findLast((one) => one.queue === queue && one.action === 'park' && one.state === 'running');
    if (task) told({ sum: { ...NONE, changed: task.parked, refused: left_of(task.left) } });
  };
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

async function park(
  { queue, filter, request: requestId, query }: Asked,
  tried_at: number | null,
  told: (now: BulkProgress) => void,
): Promise<Counted> {
  const dryRun = tried_at === null;
  const stop_watching = dryRun ? () => {} : watch_park(queue, told);
  const body = { action: 'park' as const, filter, requestId, dryRun };
  const done = await call('redrive', { path: { queue }, body }).finally(stop_watching);
  if (!dryRun && done.task) note_started(done.task, { query, edited: false }, tried_at);
  return { ...NONE, changed: done.parked, refused: left_of(done.left) };
}
