// One dead letter with everything that is known, and what can be done about it.
import { useState } from 'preact/hooks';
import { call, type ApiError } from '../api/client';
import type { Attempt, Attribute, DeadLetter as Letter, FailureRecord, HistoryStep, TriageNote } from '../api/schema';
import { may_everywhere, session, why_not } from '../api/session';
import { BodyDiff } from '../edits/body_diff';
import { BodyView } from '../edits/body_view';
import { BulkDialog } from '../letters/bulk';
import type { Verb, Wanted } from '../letters/bulk_verbs';
import { Badge, Button, Card, Loading, Status, Wrong } from '../parts/controls';
import { DraftNote } from '../edits/draft_note';
import { EditDialog } from '../edits/edit';
import { age_text, count_text, duration_text, plural, time_text, word_of } from '../parts/format';
import { GONE, read_letter } from '../letters/meanwhile';
import { use_store } from '../store';
import { Text, visible } from '../parts/text';
import { Unknown, why_unknown } from '../parts/unknown';
import { use_api } from '../parts/use_api';
import { go } from '../router';

function Facts({ rows }: { rows: [string, preact.ComponentChildren][] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const When = ({ at }: { at: string | undefined }) =>
  at ? (
    <span title={age_text(at)}>
      {time_text(at)} <span class="faint">({age_text(at)})</span>
    </span>
  ) : (
    <span class="faint">—</span>
  );

function Why({ record, hides_output }: { record: FailureRecord; hides_output: boolean }) {
  const rejection = record.rejection ?? {};
  return (
    <Card title="Why" wide>
      <p class="reason-text">
        {rejection.reason ? (
          visible(rejection.reason, true)
        ) : (
          <span class="faint">Nobody said why: {word_of(record.cause)}.</span>
        )}
      </p>
      <Facts
        rows={[
          ['Cause', word_of(record.cause)],
          ['Category', <Text of={rejection.category} />],
          ['Code', <Text of={rejection.code} mono />],
          ['Group', <span class="mono">{record.fingerprint}</span>],
        ]}
      />
      {(rejection.causes?.length ?? 0) > 0 && (
        <>
          <h3>Caused by</h3>
          <ol class="causes">
            {rejection.causes!.map((one) => (
              <li>
                <b class="mono">
                  <Text of={one.code} empty="" />
                </b>{' '}
                {visible(one.message ?? '', true)}
              </li>
            ))}
          </ol>
        </>
      )}
      {rejection.stackTrace && (
        <details open>
          <summary>Stack trace</summary>
          <pre class="body-text" tabIndex={0}>
            {visible(rejection.stackTrace, true)}
          </pre>
        </details>
      )}
      {hides_output && <p class="note warning">If there was partial output, it is hidden from this token.</p>}
      {(rejection.partialOutput || rejection.partialOutputBase64) && (
        <details>
          <summary>Partial output</summary>
          <BodyView
            of={{ body: rejection.partialOutput, bodyBase64: rejection.partialOutputBase64 }}
            name="partial-output"
          />
        </details>
      )}
    </Card>
  );
}

function Attempts({ record }: { record: FailureRecord }) {
  const attempts: Attempt[] = record.attempts ?? [];
  const early = attempts.length - 5;
  return (
    <Card
      title={`Attempts (${plural(record.deliveries, 'delivery', 'deliveries')}, ${plural(record.replays, 'replay')})`}
    >
      <ol class="timeline">
        <li>
          <time>{time_text(record.sentAt)}</time>
          <span>sent to {visible(record.sourceQueue ?? '')}</span>
        </li>
        {attempts.map((one, i) => (
          <>
            <li class="failed">
              <time>{time_text(one.failedAt)}</time>
              <span>
                {word_of(one.end)}
                {one.heldMillis ? ` after ${duration_text(one.heldMillis / 1000)}` : ''}
                {one.extended ? `, extended ${one.extended}×` : ''}
                {one.consumer?.instance && (
                  <>
                    {' '}
                    · <Text of={one.consumer.instance} />
                  </>
                )}
                {one.consumer?.version && <> {visible(one.consumer.version)}</>}
                {one.failure?.reason && <div class="sub">{visible(one.failure.reason)}</div>}
              </span>
            </li>
            {record.attemptsLeftOut > 0 && i === early - 1 && (
              <li class="gap">
                <time />
                <span>{count_text(record.attemptsLeftOut)} more in between</span>
              </li>
            )}
          </>
        ))}
        <li class="dead">
          <time>{time_text(record.diedAt)}</time>
          <span>died: {word_of(record.cause)}</span>
        </li>
      </ol>
      {record.firstDeath && (
        <div class="note info">
          It died before, on {time_text(record.firstDeath.diedAt)}, from {visible(record.firstDeath.sourceQueue ?? '')}:{' '}
          <Text of={record.firstDeath.reason} empty={word_of(record.firstDeath.cause)} />
        </div>
      )}
    </Card>
  );
}

function Attributes({ of, redacted, gone }: { of: Attribute[]; redacted: string[]; gone: boolean }) {
  if (of.length === 0)
    return <p class="faint">{gone ? 'The message is not here any more, so they are not either.' : 'It has none.'}</p>;
  const is_hidden = (one: Attribute) => redacted.includes(`attribute ${one.name}`);
  return (
    <table class="rows">
      <tbody>
        {of.map((one) => (
          <tr>
            <th scope="row" class="name">
              <Text of={one.name} mono />
            </th>
            <td class="value">
              {is_hidden(one) ? (
                <span class="faint">hidden from this token</span>
              ) : one.valueBase64 !== undefined ? (
                <span class="mono">
                  {one.valueBase64} <span class="faint">(base64)</span>
                </span>
              ) : (
                <Text of={one.value} empty="empty" />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Body({ letter }: { letter: Letter }) {
  const hidden = letter.redacted?.includes('body');
  if (hidden) return <p class="note warning">The body is hidden from this token.</p>;
  if (letter.history) return <p class="faint">The message is not here any more, so its body is not either.</p>;
  return (
    <>
      <BodyView of={letter} name={`${letter.record?.messageId ?? 'body'}.txt`} />
      {letter.original && (
        <details>
          <summary>Edited by an earlier redrive: what was changed</summary>
          <BodyDiff before={letter.original} after={letter} />
        </details>
      )}
    </>
  );
}

function Notes({ of, dropped, empty }: { of: TriageNote[]; dropped: number; empty: string }) {
  if (of.length === 0) return <p class="faint">{empty}</p>;
  return (
    <>
      {dropped > 0 && <p class="faint">{count_text(dropped)} older ones were dropped.</p>}
      <ol class="timeline">
        {of.map((one) => (
          <li>
            <time>{time_text(one.at)}</time>
            <span>
              <b>
                <Text of={one.actor} empty="somebody" />
              </b>{' '}
              {visible(one.text ?? '', true)}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}

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
      Redriven; what became of it: <b>{words[letter.replayOutcome] ?? word_of(letter.replayOutcome)}</b>
      {letter.replayOutcomeAt && <> at {time_text(letter.replayOutcomeAt)}</>}.
    </p>
  );
}

function Journal({ id }: { id: string }) {
  const history = use_api(id, (signal) => call('messageHistory', { path: { id }, signal }), { every: 15000 });
  const sees_all = may_everywhere(use_store(session), 'operate');
  const unknown = why_unknown(history);
  const steps: HistoryStep[] = history.data?.steps ?? [];
  return (
    <Card title="Journal">
      {steps.length === 0 && unknown !== undefined && <Unknown because={unknown} />}
      {steps.length === 0 && unknown === undefined && sees_all && (
        <p class="faint">No queue that it was in keeps a journal, or remembers it still.</p>
      )}
      {!sees_all && <p class="faint">Steps in queues that this token may not operate are not shown to it.</p>}
      {steps.length > 0 && <Wrong error={history.error} />}
      {steps.length > 0 && (
        <ol class="timeline">
          {history.data?.truncated && (
            <li class="gap">
              <time />
              <span>earlier steps are left out</span>
            </li>
          )}
          {steps.map((one) => (
            <li class={one.kind === 'deadLettered' ? 'dead' : one.kind === 'acked' ? 'acked' : ''}>
              <time>{time_text(one.at)}</time>
              <span>
                {word_of(one.kind)}{' '}
                {one.to ? (
                  <>
                    from <Text of={one.queue} /> to <Text of={one.to} />
                  </>
                ) : (
                  <>
                    in <Text of={one.queue} />
                  </>
                )}
                {one.consumer?.instance && (
                  <>
                    {' '}
                    · <Text of={one.consumer.instance} /> <Text of={one.consumer.version} empty="" />
                  </>
                )}
                {one.reason && <div class="sub">{visible(one.reason)}</div>}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

interface KnownProps {
  queue: string;
  letter: Letter;
  error: ApiError | undefined; // of reading it again
  is_edited: boolean;
  on_edit: () => void;
  on_ask: (wanted: Wanted) => void;
}

function Known({ queue, letter: one, error, is_edited, on_edit, on_ask }: KnownProps) {
  const now = use_store(session);
  const info = use_api(queue, (signal) => call('describeQueue', { path: { name: queue }, signal }), {
    every: 0,
    after: () => false,
  });
  const id = one.id ?? '';
  const record = one.record!;
  const reason = why_not(now, 'operate', queue);
  const gone = one.history ? GONE : undefined;
  const hidden = now.hidden?.bodies ? 'The token may not see bodies, so it may not change them.' : undefined;
  const ask = (verb: Verb) => () =>
    on_ask({ verb, queue, filter: { ids: [id], history: true }, which: `Number ${one.seq}` });
  return (
    <>
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
      <div class="actions" role="group" aria-label="For this dead letter">
        <Button on_click={ask('investigate')} reason={reason}>
          Investigate…
        </Button>
        <Button on_click={ask('fixed')} reason={reason}>
          Fixed…
        </Button>
        <Button on_click={ask('assign')} reason={reason} keys="a">
          Assign…
        </Button>
        <Button on_click={ask('note')} reason={reason} keys="n">
          Note…
        </Button>
        <Button
          kind="main"
          on_click={() => go(`/redrives/new?queue=${queue}&ids=${id}`)}
          reason={reason ?? gone}
          keys="r"
        >
          Redrive…
        </Button>
        <Button on_click={on_edit} reason={reason ?? gone ?? hidden} keys="e">
          Edit and redrive…
        </Button>
        <Button
          on_click={ask('park')}
          reason={reason ?? gone ?? (info.data?.options?.parkingQueue ? undefined : 'This queue has no parking queue.')}
        >
          Park…
        </Button>
        <Button kind="danger" on_click={ask('abandon')} reason={reason} keys="x">
          Abandon…
        </Button>
        <Button kind="danger" on_click={ask('discard')} reason={reason ?? gone}>
          Discard…
        </Button>
      </div>
      <Wrong error={error} />
      <Outcome letter={one} />
      {!is_edited && (
        <DraftNote
          queue={queue}
          id={id}
          is_gone={one.history}
          reason={reason ?? hidden}
          on_edit={on_edit}
        />
      )}
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
          <Card title="Who and when">
            <Facts
              rows={[
                [
                  'From',
                  <a href={`/queues/${record.sourceQueue}`}>
                    <Text of={record.sourceQueue} />
                  </a>,
                ],
                ['Sent', <When at={record.sentAt} />],
                ['First failure', <When at={record.firstFailedAt} />],
                ['Died', <When at={record.diedAt} />],
                [
                  'Consumer',
                  <>
                    <Text of={record.consumer?.instance} /> <Text of={record.consumer?.version} empty="" />
                  </>,
                ],
                ['Correlation id', <Text of={record.correlationId ?? record.correlationIdBase64} mono />],
                ...(record.workflowVersion
                  ? [['Workflow version', <Text of={record.workflowVersion} />] as [string, preact.ComponentChildren]]
                  : []),
                ...(record.group
                  ? [['Message group', <Text of={record.group} />] as [string, preact.ComponentChildren]]
                  : []),
                ['Visits to a dead letter queue', count_text(record.visits)],
                ['Message id', <span class="mono">{record.messageId}</span>],
                ['Own id', <span class="mono">{one.id}</span>],
              ]}
            />
          </Card>
          <Card title="Notes">
            <Notes of={one.triage?.notes ?? []} dropped={one.triage?.notesDropped ?? 0} empty="There is none." />
          </Card>
          <Card title="Audit">
            <Notes
              of={one.triage?.audit ?? []}
              dropped={one.triage?.auditDropped ?? 0}
              empty="Nobody has done anything about it yet."
            />
          </Card>
          <Journal id={record.messageId ?? id} />
        </div>
      </div>
    </>
  );
}

export function DeadLetter({ queue, id }: { queue: string; id: string }) {
  const [wanted, set_wanted] = useState<Wanted | null>(null);
  const [edits, set_edits] = useState<Letter | null>(null); // as it was when the edit began
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
              There is no such dead letter in {queue}: it was parked, its retention is over, or it never was here.
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
