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

type Asked = Wanted & { request: string }; // the same in each try, so that a park has its effect once

const TITLES: Record<Verb, string> = {
  assign: 'Assign',
  investigate: 'Investigate',
  fixed: 'Mark as fixed',
  abandon: 'Abandon',
  note: 'Add a note',
  discard: 'Discard',
  park: 'Park',
};
// What the button does, with how many.
const ACTS: Record<Verb, (letters: string) => string> = {
  assign: (letters) => `Assign ${letters}`,
  investigate: (letters) => `Investigate ${letters}`,
  fixed: (letters) => `Mark ${letters} as fixed`,
  abandon: (letters) => `Abandon ${letters}`,
  note: (letters) => `Add a note to ${letters}`,
  discard: (letters) => `Discard ${letters}`,
  park: (letters) => `Park ${letters}`,
};
const WARNINGS: Partial<Record<Verb, string>> = {
  abandon: 'Nobody will redrive them, unless they are asked for by name.',
  discard: 'Their messages are deleted for good. Their records stay as history.',
  park: 'They move to the parking queue, where nothing moves them by itself.',
};
const TWICE = ' If the server did the last part and could not say so, its letters have the note twice after another try.';
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

// How far it is: what is done, and where it goes on.
interface Place {
  sum: Counted;
  from?: string;
}

// All parts that are left, one after the other, until the last or until it is told to stop.
async function in_parts(
  { verb, queue, filter, request }: Asked,
  text: string,
  dryRun: boolean,
  told: (now: Place) => void,
  stopped: () => boolean,
  { sum, from }: Place = { sum: NONE },
): Promise<Counted> {
  if (verb === 'park') return park(queue, filter, request, dryRun, told);
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
function watch_park(queue: string, told: (now: Place) => void): () => void {
  const look = async () => {
    const { tasks = [] } = await call('listRedrives').catch(() => ({ tasks: [] }));
    const task = tasks.findLast((one) => one.queue === queue && one.state === 'running');
    if (task) told({ sum: { ...NONE, changed: task.parked, refused: left_of(task.left) } });
  };
  const timer = setInterval(look, LOOK_MS);
  return () => clearInterval(timer);
}

async function park(
  queue: string,
  filter: DeadLetterFilterInput,
  requestId: string,
  dryRun: boolean,
  told: (now: Place) => void,
): Promise<Counted> {
  if (dryRun) {
    const preview = await call('previewPark', { path: { queue }, body: { options: { filter } } });
    return { ...NONE, changed: preview.park, refused: left_of(preview.left) };
  }
  const stop_watching = watch_park(queue, told);
  const done = await call('park', { path: { queue }, body: { filter, requestId } }).finally(
    stop_watching,
  );
  return { ...NONE, changed: done.parked, refused: left_of(done.left) };
}

// What has failed can be tried again, with what is left.
type Phase = 'ask' | 'works' | 'failed' | 'over';

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
  const [wanted] = useState<Asked>({ ...asked, filter: until_now(asked.filter), request: request_id() });
  const [text, set_text] = useState('');
  const [phase, set_phase] = useState<Phase>('ask');
  const [counted, set_counted] = useState<Counted | null>(null);
  const [so_far, set_so_far] = useState<Counted>(NONE);
  const [wrong, set_wrong] = useState('');
  const [leaves, set_leaves] = useState(false);
  const [stopping, set_stopping] = useState(false);
  const place = useRef<Place>({ sum: NONE });
  const stop = useRef(false);
  const gone = useRef(false);
  const count_them = () => {
    set_wrong('');
    // A note and an assignee are counted as some that nobody has: all that match would be changed.
    const probe = verb === 'assign' || verb === 'note' ? '\u2022' : '';
    in_parts(wanted, probe, true, ({ sum }) => set_so_far(sum), () => gone.current).then(set_counted, (failure) =>
      set_wrong(failure.message),
    );
  };
  useEffect(() => {
    gone.current = false;
    count_them();
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
    set_wrong('');
    stop.current = false;
    const told = (now: Place) => {
      place.current = now;
      set_so_far(now.sum);
    };
    told(place.current);
    try {
      const sum = await in_parts(wanted, text, false, told, () => stop.current, place.current);
      told({ sum });
      set_phase('over');
      say(told_of(verb, sum, count), sum.stopped ? 'warning' : 'done');
      on_done();
      if (sum.refused === 0 && !sum.stopped) on_close();
    } catch (failure) {
      // Of the call that failed it is not known whether the server did it.
      const { sum } = place.current;
      set_phase('failed');
      set_wrong((failure as Error).message);
      set_so_far({ ...sum, stopped: true });
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
      ? wrong !== ''
        ? 'They could not be counted.'
        : 'They are still being counted.'
      : count === 0
        ? 'There is none to change.'
        : undefined;
  return (
    <Dialog title={`${TITLES[verb]} · ${wanted.queue}`} on_close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason && (phase === 'ask' || phase === 'failed')) void start();
        }}
      >
        <p>
          {visible(wanted.which)}:{' '}
          {counted === null ? (
            <span role="status">{wrong === '' ? `counting… ${count_text(so_far.changed)}` : 'not counted'}</span>
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
            {phase === 'failed' && (verb === 'note' || is_noted) && TWICE}
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
          {counted === null && wrong !== '' && <Button on_click={count_them}>Count again</Button>}
          {phase !== 'over' && (
            <Button submit kind={DANGEROUS.includes(verb) ? 'danger' : 'main'} reason={reason} busy={works}>
              {phase === 'failed' ? 'Try again, with what is left' : ACTS[verb](counted === null ? '…' : letters_text(count))}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}
