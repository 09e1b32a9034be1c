// Changing many dead letters: says how many, asks, and shows how far it is. The server changes a part in each call.
import { useEffect, useRef, useState } from 'preact/hooks';
import { call, request_id } from '../api/client';
import type { ChangeDeadLettersRequest, DeadLetterFilterInput } from '../api/schema';
import { Area, Button, Input, say } from './controls';
import { Dialog } from './dialog';
import { is_empty, until_now } from './filter_query';
import { count_text, letters_text } from './format';
import { visible } from './text';

export type Verb = 'assign' | 'investigate' | 'fixed' | 'abandon' | 'note' | 'discard' | 'park';

export interface Wanted {
  verb: Verb;
  queue: string;
  filter: DeadLetterFilterInput;
  which: string; // in words
}

const TITLES: Record<Verb, string> = {
  assign: 'Assign',
  investigate: 'Investigate',
  fixed: 'Mark as fixed',
  abandon: 'Abandon',
  note: 'Add a note',
  discard: 'Discard',
  park: 'Park',
};
const WARNINGS: Partial<Record<Verb, string>> = {
  abandon: 'Nobody will redrive them, unless they are asked for by name.',
  discard: 'Their messages are deleted for good. Their records stay as history.',
  park: 'They move to the parking queue, where nothing moves them by itself.',
};
const DANGEROUS: Verb[] = ['abandon', 'discard'];

interface Counted {
  changed: number;
  refused: number;
  unchanged: number;
  stopped: boolean; // before all were done
}
const NONE: Counted = { changed: 0, refused: 0, unchanged: 0, stopped: false };

function changes_of(verb: Verb, text: string): Partial<ChangeDeadLettersRequest> {
  if (verb === 'assign') return { assignee: text };
  if (verb === 'note') return { note: text };
  if (verb === 'abandon') return { status: 'abandoned', ...(text.trim() ? { note: text } : {}) };
  return { status: verb === 'fixed' ? 'fixed' : 'investigating' };
}

// All parts, one after the other, until the last or until it is told to stop.
async function in_parts(
  { verb, queue, filter }: Wanted,
  text: string,
  dryRun: boolean,
  told: (sum: Counted) => void,
  stopped: () => boolean,
): Promise<Counted> {
  let sum = NONE;
  let from: string | undefined;
  if (verb === 'park') return park(queue, filter, dryRun, told);
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
    told(sum);
  } while (from && !stopped());
  return { ...sum, stopped: from !== undefined };
}

const done_of = (sum: Counted): number => sum.changed + sum.unchanged + sum.refused;

// What became of them, in words.
function told_of(verb: Verb, sum: Counted, count: number): string {
  const more = `${sum.unchanged ? `, ${count_text(sum.unchanged)} were so already` : ''}${sum.refused ? `, ${count_text(sum.refused)} refused` : ''}`;
  return sum.stopped
    ? `${TITLES[verb]}: stopped: ${count_text(sum.changed)} of ${count_text(count)} done${more}. The rest is as it was.`
    : `${TITLES[verb]}: ${letters_text(sum.changed)}${more}.`;
}

const left_of = (left: object | undefined): number =>
  Object.values(left ?? {}).reduce((sum: number, one) => sum + Number(one), 0);

const LOOK_MS = 700;

// The one call answers at the end; how far it is says its task.
function watch_park(queue: string, told: (sum: Counted) => void): () => void {
  const look = async () => {
    const { tasks = [] } = await call('listRedrives').catch(() => ({ tasks: [] }));
    const task = tasks.findLast((one) => one.queue === queue && one.state === 'running');
    if (task) told({ ...NONE, changed: task.parked, refused: left_of(task.left) });
  };
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

async function park(
  queue: string,
  filter: DeadLetterFilterInput,
  dryRun: boolean,
  told: (sum: Counted) => void,
): Promise<Counted> {
  if (dryRun) {
    const preview = await call('previewPark', { path: { queue }, body: { options: { filter } } });
    return { ...NONE, changed: preview.park, refused: left_of(preview.left) };
  }
  const stop_watching = watch_park(queue, told);
  const done = await call('park', { path: { queue }, body: { filter, requestId: request_id() } }).finally(
    stop_watching,
  );
  return { ...NONE, changed: done.parked, refused: left_of(done.left) };
}

type Phase = 'ask' | 'works' | 'over';

export function BulkDialog({
  wanted: asked,
  on_close,
  on_done,
}: {
  wanted: Wanted;
  on_close: () => void;
  on_done: () => void;
}) {
  const { verb } = asked;
  const [wanted] = useState<Wanted>({ ...asked, filter: until_now(asked.filter) });
  const [text, set_text] = useState('');
  const [phase, set_phase] = useState<Phase>('ask');
  const [counted, set_counted] = useState<Counted | null>(null);
  const [so_far, set_so_far] = useState<Counted>(NONE);
  const [wrong, set_wrong] = useState('');
  const [leaves, set_leaves] = useState(false);
  const [stopping, set_stopping] = useState(false);
  const stop = useRef(false);
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    // A note and an assignee are counted as some that nobody has: all that match would be changed.
    const probe = verb === 'assign' || verb === 'note' ? '\u2022' : '';
    in_parts(wanted, probe, true, set_so_far, () => gone.current).then(set_counted, (failure) =>
      set_wrong(failure.message),
    );
    return () => {
      gone.current = true;
      stop.current = true;
    };
  }, []);
  const needs_text = verb === 'note' && text.trim() === '';
  // A reason is noted on those that are abandoned already, too.
  const is_noted = verb === 'abandon' && text.trim() !== '';
  const count = (counted?.changed ?? 0) + (is_noted ? (counted?.unchanged ?? 0) : 0);
  const start = async () => {
    set_phase('works');
    set_so_far(NONE);
    stop.current = false;
    let sum = NONE;
    const told = (now: Counted) => set_so_far((sum = now));
    try {
      told(await in_parts(wanted, text, false, told, () => stop.current));
      set_phase('over');
      say(told_of(verb, sum, count), sum.stopped ? 'warning' : 'done');
      on_done();
      if (sum.refused === 0 && !sum.stopped) on_close();
    } catch (failure) {
      // Of the call that failed it is not known whether the server did it.
      set_phase('over');
      set_wrong((failure as Error).message);
      told({ ...sum, stopped: true });
      say(`${TITLES[verb]}: ${(failure as Error).message} ${count_text(sum.changed)} of ${count_text(count)} are known to be done.`, 'critical');
      on_done();
    }
  };
  const works = phase === 'works';
  // While it works, closing asks first.
  const close = () => (works ? set_leaves(true) : on_close());
  useEffect(() => {
    if (!works) return set_leaves(false);
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [works]);
  const reason = needs_text
    ? 'The note is empty.'
    : counted === null
      ? 'They are still being counted.'
      : count === 0
        ? 'There is none to change.'
        : undefined;
  return (
    <Dialog title={`${TITLES[verb]} · ${wanted.queue}`} on_close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason && phase === 'ask') void start();
        }}
      >
        <p>
          {visible(wanted.which)}:{' '}
          {counted === null ? (
            <span role="status">counting… {count_text(so_far.changed)}</span>
          ) : (
            <strong>{letters_text(count)}</strong>
          )}
          {counted && counted.refused > 0 && <>, and {count_text(counted.refused)} that can’t</>}
          {counted && counted.unchanged > 0 && <>, and {count_text(counted.unchanged)} that are so already</>}.
        </p>
        {WARNINGS[verb] && <p class="note warning">{WARNINGS[verb]}</p>}
        {verb === 'assign' && (
          <Input label="To" value={text} on_change={set_text} hint="Empty: to nobody." auto_focus max_length={128} />
        )}
        {verb === 'abandon' && (
          <Input
            label="Why"
            value={text}
            on_change={set_text}
            hint={`Noted on each of them${counted?.unchanged ? ', also on those that are so already' : ''}. Empty: no note.`}
          />
        )}
        {verb === 'note' && <Area label="Note" value={text} on_change={set_text} rows={4} />}
        {phase !== 'ask' && (
          <div role="status">
            <progress
              max={Math.max(count, 1)}
              value={done_of(so_far)}
              aria-label="Progress"
            />
            <p>
              {so_far.stopped && 'stopped: '}
              {count_text(so_far.changed)} of {count_text(count)}
              {so_far.stopped && ' done'}
              {so_far.refused > 0 && `, ${count_text(so_far.refused)} refused`}
            </p>
          </div>
        )}
        {leaves && (
          <p class="note warning" role="alert">
            It still works.{' '}
            {verb === 'park'
              ? 'The server goes on with it, and this question stays until it is done.'
              : 'It goes on unless it is stopped; what is done then stays done.'}
          </p>
        )}
        {wrong && (
          <p class="note critical" role="alert">
            {visible(wrong)}
          </p>
        )}
        <div class="buttons">
          {works && verb !== 'park' && (
            <Button
              busy={stopping}
              on_click={() => {
                stop.current = true;
                set_stopping(true);
              }}
            >
              {stopping ? 'It stops after this part…' : 'Stop after this part'}
            </Button>
          )}
          {!works && <Button on_click={on_close}>{phase === 'over' ? 'Close' : 'Cancel'}</Button>}
          {phase !== 'over' && (
            <Button submit kind={DANGEROUS.includes(verb) ? 'danger' : 'main'} reason={reason} busy={works}>
              {TITLES[verb]} {counted === null ? '…' : letters_text(count)}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
