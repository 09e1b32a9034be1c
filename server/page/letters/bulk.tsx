// BulkDialog changes many dead letters. It says how many there are, asks, and shows the progress.
import { useEffect, useState } from 'preact/hooks';
import { done_of, type Counted } from './bulk_calls';
import { ACTS, DANGEROUS, TITLES, WARNINGS, type Verb, type Wanted } from './bulk_verbs';
import { Area, Button, Input } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { count_text, letters_text } from '../parts/format';
import { LostNote } from '../parts/lost_note';
import { visible } from '../parts/text';
import { use_remembered } from '../parts/tries';
import { use_bulk, type Bulk } from './use_bulk';

const TWICE =
  ' The server may have done the last part without being able to say so. After another try its letters then have the note twice.';

function HowMany({ which, bulk, count }: { which: string; bulk: Bulk; count: number }) {
  const { counted, wrong, so_far } = bulk;
  return (
    <p>
      {visible(which)}:{' '}
      {counted === null ? (
        <span role="status">{wrong === '' ? `counting… ${count_text(so_far.changed)}` : 'not counted'}</span>
      ) : (
        <strong>{letters_text(count)}</strong>
      )}
      {counted && counted.refused > 0 && <>, and {count_text(counted.refused)} that cannot be changed</>}
      {counted && counted.unchanged > 0 && <>, and {count_text(counted.unchanged)} that need no change</>}.
    </p>
  );
}

interface WhatProps {
  verb: Verb;
  text: string;
  set_text: (text: string) => void;
  counted: Counted | null;
}

// `What` shows the field that the change needs: the assignee, the reason or the note.
function What({ verb, text, set_text, counted }: WhatProps) {
  const hint = `Noted on each of them${counted?.unchanged ? ', even on those that need no change' : ''}. Empty: no note.`;
  if (verb === 'assign')
    return <Input label="To" value={text} on_change={set_text} hint="Empty: to nobody." max_length={128} />;
  if (verb === 'abandon') return <Input label="Why" value={text} on_change={set_text} hint={hint} />;
  return verb === 'note' ? <Area label="Note" value={text} on_change={set_text} rows={4} hint="Ctrl+Enter adds it." submits /> : null;
}

// If an answer was lost, more letters may be changed than the page knows of.
function HowFar({ so_far, count, is_lost }: { so_far: Counted; count: number; is_lost: boolean }) {
  return (
    <div role="status">
      <progress max={Math.max(count, 1)} value={done_of(so_far)} aria-label="Progress" />
      <p>
        {so_far.stopped && !is_lost && 'stopped: '}
        {count_text(so_far.changed)} of {count_text(count)}
        {so_far.stopped && (is_lost ? ' known to be done' : ' done')}
        {so_far.refused > 0 && `, ${count_text(so_far.refused)} refused`}
      </p>
    </div>
  );
}

interface ButtonsProps {
  verb: Verb;
  bulk: Bulk;
  reason: string | undefined; // why the change cannot start
  count: number;
  repeats: boolean; // another try repeats the same request
  on_close: () => void;
}

function Buttons({ verb, bulk, reason, count, repeats, on_close }: ButtonsProps) {
  const { phase, counted, wrong, is_stopping } = bulk;
  const works = phase === 'works';
  return (
    <div class="buttons">
      {works && verb !== 'park' && (
        <Button busy={is_stopping} on_click={bulk.stop}>
          {is_stopping ? 'It stops after this part…' : 'Stop after this part'}
        </Button>
      )}
      {!works && <Button on_click={on_close}>{phase === 'over' ? 'Close' : 'Cancel'}</Button>}
      {counted === null && wrong !== '' && <Button on_click={bulk.count}>Count again</Button>}
      {phase !== 'over' && (
        <Button submit kind={DANGEROUS.includes(verb) ? 'danger' : 'main'} reason={reason} busy={works}>
          {phase !== 'failed'
            ? ACTS[verb](counted === null ? '…' : letters_text(count))
            : repeats
              ? 'Try again'
              : 'Try again, with what is left'}
        </Button>
      )}
    </div>
  );
}

function why_not_yet(verb: Verb, text: string, { counted, wrong }: Bulk, count: number): string | undefined {
  if (verb === 'note' && text.trim() === '') return 'The note is empty.';
  if (counted === null)
    return wrong !== '' ? 'The dead letters could not be counted.' : 'The dead letters are still being counted.';
  return count === 0 ? 'There are no dead letters to change.' : undefined;
}

// While the change runs, the page asks before the dialog or the page is closed.
function use_leaving(works: boolean): [leaves: boolean, set_leaves: (on: boolean) => void] {
  const [leaves, set_leaves] = useState(false);
  useEffect(() => {
    if (!works) return set_leaves(false);
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [works]);
  return [leaves, set_leaves];
}

export function BulkDialog({ wanted, on_close, on_done }: { wanted: Wanted; on_close: () => void; on_done: () => void }) {
  const { verb, queue, which } = wanted;
  const [text, set_text] = useState('');
  const bulk = use_bulk(wanted, on_done);
  const { phase, counted, wrong, lost } = bulk;
  const is_known = use_remembered(lost);
  const [leaves, set_leaves] = use_leaving(phase === 'works');
  // A reason is also noted on letters that are abandoned already.
  const is_noted = verb === 'abandon' && text.trim() !== '';
  const count = (counted?.changed ?? 0) + (is_noted ? (counted?.unchanged ?? 0) : 0);
  const reason = why_not_yet(verb, text, bulk, count);
  const start = async () => {
    if (await bulk.start(text, count)) on_close();
  };
  return (
    <Dialog title={`${TITLES[verb]} · ${queue}`} on_close={() => (phase === 'works' ? set_leaves(true) : on_close())}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason && (phase === 'ask' || phase === 'failed')) void start();
        }}
      >
        <HowMany which={which} bulk={bulk} count={count} />
        {WARNINGS[verb] && <p class="note warning">{WARNINGS[verb]}</p>}
        <What {...{ verb, text, set_text, counted }} />
        {phase !== 'ask' && <HowFar so_far={bulk.so_far} count={count} is_lost={lost !== null} />}
        {leaves && (
          <p class="note warning" role="alert">
            It is still running.{' '}
            {verb === 'park'
              ? 'The server finishes it, and this dialog stays open until then.'
              : 'It goes on unless you stop it. What is done by then stays done.'}
          </p>
        )}
        {wrong && (
          <p class="note critical" role="alert">
            {visible(wrong)}
            {phase === 'failed' && (verb === 'note' || is_noted) && TWICE}
          </p>
        )}
        {lost && verb === 'park' && phase === 'failed' && (
          <LostNote
            tried={lost}
            how={is_known ? 'same' : 'forgotten'}
            sent="the park was started"
            perhaps="some or all of them may be parked"
            again="another try parks what is left"
            changed=""
          />
        )}
        <Buttons {...{ verb, bulk, reason, count, on_close }} repeats={verb === 'park' && is_known} />
      </form>
    </Dialog>
  );
}
