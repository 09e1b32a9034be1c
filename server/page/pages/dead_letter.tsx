// DeadLetter is the page of one dead letter, with everything that is known of it and what can be done about it.
import { useState } from 'preact/hooks';
import type { ApiError } from '../api/client';
import type { DeadLetter as Letter } from '../api/schema';
import { session, why_not } from '../api/session';
import { DraftNote } from '../edits/draft_note';
import { EditDialog } from '../edits/edit';
import { Attempts } from '../letter/attempts';
import { Buttons } from '../letter/buttons';
import { Attributes, Body } from '../letter/content';
import { WhoAndWhen } from '../letter/facts';
import { Journal } from '../letter/journal';
import { Notes } from '../letter/notes';
import { Why } from '../letter/why';
import { BulkDialog } from '../letters/bulk';
import type { Wanted } from '../letters/bulk_verbs';
import { read_letter } from '../letters/meanwhile';
import { Badge, Card, Loading, Status, Wrong } from '../parts/controls';
import { time_text, word_of } from '../parts/format';
import { Text } from '../parts/text';
import { use_api } from '../parts/use_api';
import { use_store } from '../store';

function Outcome({ letter }: { letter: Letter }) {
  if (letter.replayOutcome === 'none') return null;
  const kinds: Record<string, string> = {
    acked: 'done',
    pending: 'info',
    diedElsewhere: 'critical',
    dropped: 'warning',
  };
  const words: Record<string, string> = { pending: 'not known yet' };
  return (
    <p class={`note ${kinds[letter.replayOutcome] ?? 'info'}`}>
      Redriven. What became of it: <b>{words[letter.replayOutcome] ?? word_of(letter.replayOutcome)}</b>
      {letter.replayOutcomeAt && <> at {time_text(letter.replayOutcomeAt)}</>}.
    </p>
  );
}

function Head({ of: one }: { of: Letter }) {
  return (
    <div class="page-head">
      <h1>Dead letter {one.seq}</h1>
      <Status of={one.triage?.status} />
      {one.history && <Badge kind="info">history</Badge>}
      <span class="faint">
        {one.triage?.assignee ? (
          <>
            assigned to <Text of={one.triage.assignee} />
          </>
        ) : (
          'assigned to nobody'
        )}
      </span>
    </div>
  );
}

function Triage({ of: { triage } }: { of: Letter }) {
  return (
    <>
      <Card title="Notes">
        <Notes of={triage?.notes ?? []} dropped={triage?.notesDropped ?? 0} empty="There are no notes." />
      </Card>
      <Card title="Audit">
        <Notes
          of={triage?.audit ?? []}
          dropped={triage?.auditDropped ?? 0}
          empty="Nobody has done anything about it yet."
        />
      </Card>
    </>
  );
}

function Everything({ of: one }: { of: Letter }) {
  const record = one.record!;
  return (
    <div class="columns letter">
      <div class="stack">
        <Why record={record} hides_output={one.redacted?.includes('partial_output') === true} />
        <Card title="Body" wide>
          <Body letter={one} />
        </Card>
        <Card title="Attributes" wide>
          <Attributes of={one.attributes ?? []} redacted={one.redacted ?? []} gone={one.history} />
        </Card>
      </div>
      <div class="stack">
        <Attempts record={record} />
        <WhoAndWhen letter={one} record={record} />
        <Triage of={one} />
        <Journal id={record.messageId ?? one.id ?? ''} />
      </div>
    </div>
  );
}

interface KnownProps {
  queue: string;
  letter: Letter;
  error: ApiError | undefined; // the error of reading the letter again
  is_edited: boolean;
  on_edit: () => void;
  on_ask: (wanted: Wanted) => void;
}

function Known({ queue, letter: one, error, is_edited, on_edit, on_ask }: KnownProps) {
  const now = use_store(session);
  const hidden = now.hidden?.bodies ? 'The token may not see bodies, so it may not change them.' : undefined;
  const reason = why_not(now, 'operate', queue) ?? hidden;
  return (
    <>
      <Head of={one} />
      <Buttons {...{ queue, hidden, on_edit, on_ask }} letter={one} />
      <Wrong error={error} />
      <Outcome letter={one} />
      {!is_edited && <DraftNote {...{ queue, reason, on_edit }} id={one.id ?? ''} is_gone={one.history} />}
      <Everything of={one} />
    </>
  );
}

export function DeadLetter({ queue, id }: { queue: string; id: string }) {
  const [wanted, set_wanted] = useState<Wanted | null>(null);
  const [edits, set_edits] = useState<Letter | null>(null); // the letter as it was when its edit started
  const letter = use_api(`${queue} ${id}`, (signal) => read_letter(queue, id, signal), {
    every: 5000,
    after: (event) => event.target === queue,
  });
  const one = letter.data;
  return (
    <>
      <p class="crumbs">
        <a href={`/dead-letters/${queue}`}>{queue}</a> / dead letter
      </p>
      {one ? (
        <Known
          queue={queue}
          letter={one}
          error={letter.error}
          is_edited={edits !== null}
          on_edit={() => set_edits(one)}
          on_ask={set_wanted}
        />
      ) : (
        <>
          <h1>Dead letter</h1>
          <Wrong error={letter.error} />
          {letter.loading && <Loading />}
          {one === null && (
            <p class="note warning">
              There is no such dead letter in {queue}: it was parked, its retention is over, or it was never here.
            </p>
          )}
          {one === null && !edits && <DraftNote queue={queue} id={id} is_gone />}
        </>
      )}
      {wanted && <BulkDialog wanted={wanted} on_close={() => set_wanted(null)} on_done={letter.reload} />}
      {edits && (
        <EditDialog queue={queue} letter={edits} now={one ?? null} on_close={() => set_edits(null)} />
      )}
    </>
  );
}
