// A redrive that runs, or ran: how far it is, and what came of it.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { TaskStatus } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button, Card, Figure, Loading, say, say_wrong, Wrong } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { count_text, duration_text, letters_text, rate_text, short_count, time_text, word_of } from '../parts/format';
import { use_store } from '../parts/store';
import { Text, visible } from '../parts/text';
import { use_api } from '../parts/use_api';
import { Left, Progress, State, left_sum } from '../parts/redrive_task';

const OUTCOMES_READ = 1000;

// Of those that went since it began, as far as the newest of the history tell.
async function read_outcomes(
  task: TaskStatus,
  signal: AbortSignal,
): Promise<{ counts: Map<string, number>; capped: boolean }> {
  const page = await call('listDeadLetters', {
    path: { queue: task.queue! },
    query: { status: 'replayed', newestFirst: true, max: OUTCOMES_READ },
    signal,
  });
  const counts = new Map<string, number>();
  for (const one of page.items ?? []) {
    const since = one.triage?.statusSince ?? '';
    if (since < (task.startedAt ?? '') || (task.finishedAt && since > task.finishedAt)) continue;
    counts.set(one.replayOutcome, (counts.get(one.replayOutcome) ?? 0) + 1);
  }
  return { counts, capped: Boolean(page.next) };
}

function Outcomes({ task }: { task: TaskStatus }) {
  const outcomes = use_api(
    task.queue && task.moved > 0 ? `${task.task} ${task.moved}` : null,
    (signal) => read_outcomes(task, signal),
    { every: 3000 },
  );
  const counts = outcomes.data?.counts ?? new Map<string, number>();
  const back = task.moved - [...counts.values()].reduce((sum, one) => sum + one, 0);
  if (task.moved === 0) return <p class="faint">Nothing has gone yet.</p>;
  return (
    <>
      <Wrong error={outcomes.error} />
      <dl class="figures">
        {(['acked', 'pending', 'diedElsewhere', 'dropped'] as const).map((name) => (
          <Figure
            label={name === 'pending' ? 'Not known yet' : word_of(name)}
            value={short_count(counts.get(name) ?? 0)}
            kind={name === 'acked' ? 'good' : ''}
          />
        ))}
        {!outcomes.data?.capped && outcomes.data && (
          <Figure label="Back here, or not known any more" value={short_count(Math.max(0, back))} kind={back > 0 ? 'dead' : ''} />
        )}
      </dl>
      <p class="faint">Of all that was replayed from this queue while this redrive ran.</p>
      {outcomes.data?.capped && (
        <p class="faint">
          Of the newest {count_text(OUTCOMES_READ)} replayed ones.{' '}
          <a href={`/dead-letters/${task.queue}?view=letters&status=replayed`}>All of them</a>
        </p>
      )}
    </>
  );
}

export function Redrive({ task: id }: { task: number }) {
  const now = use_store(session);
  const [asks, set_asks] = useState(false);
  const status = use_api(`task ${id}`, (signal) => call('redriveStatus', { path: { task: id }, signal }), {
    every: 1000,
  });
  const task = status.data;
  if (!task)
    return (
      <>
        <h1>Redrive {id}</h1>
        <Wrong error={status.error} />
        {status.loading && <Loading />}
      </>
    );
  const runs = task.state === 'running';
  const took = ((task.finishedAt ? Date.parse(task.finishedAt) : Date.now()) - Date.parse(task.startedAt ?? '')) / 1000;
  const waits = runs && task.canaries > 0 && task.canaryAcked + task.canaryFailed < task.canaries;
  const cancel = async () => {
    set_asks(false);
    try {
      await call('cancelRedrive', { path: { task: id }, body: {} });
      say(`Redrive ${id} is cancelled.`);
      status.reload();
    } catch (failure) {
      say_wrong(failure);
    }
  };
  return (
    <>
      <p class="crumbs">
        <a href="/redrives">redrives</a>
      </p>
      <div class="page-head">
        <h1>Redrive {id}</h1>
        <State of={task.state} />
        <span>
          of{' '}
          <a href={`/dead-letters/${task.queue}`}>
            <Text of={task.queue} />
          </a>
          {task.to && (
            <>
              {' '}
              to <Text of={task.to} />
            </>
          )}
        </span>
        {runs && (
          <Button kind="danger" reason={why_not(now, 'operate', task.queue ?? '')} on_click={() => set_asks(true)}>
            Cancel…
          </Button>
        )}
      </div>
      <Wrong error={status.error} />
      <Progress task={task} />
      <p role="status">
        {count_text(task.moved)} moved{task.parked > 0 && `, ${count_text(task.parked)} parked`},{' '}
        {count_text(left_sum(task.left))} left in place{runs && `, of about ${count_text(task.total)}`}.{' '}
        {runs ? (
          <>
            It runs for {duration_text(took)}
            {took > 1 && task.moved > 0 && <>, {rate_text(task.moved / took)}</>}.
          </>
        ) : (
          <>It took {duration_text(took)}.</>
        )}
      </p>
      {task.error && <p class="note critical">{visible(task.error)}</p>}
      {task.state === 'canaryFailed' && (
        <p class="note critical">Too few canaries succeeded, so the rest stays where it is.</p>
      )}
      {task.cancelledBy && <p class="note warning">Cancelled by {visible(task.cancelledBy)}.</p>}
      <div class="columns">
        {task.canaries > 0 && (
          <Card title="Canary">
            <dl class="figures">
              <Figure label="Sent first" value={count_text(task.canaries)} />
              <Figure label="Acknowledged" value={count_text(task.canaryAcked)} kind="good" />
              <Figure label="Failed" value={count_text(task.canaryFailed)} kind={task.canaryFailed > 0 ? 'dead' : ''} />
            </dl>
            {waits && <p class="note info">It waits until it is known what became of them.</p>}
          </Card>
        )}
        <Card title="What became of those that went">
          <Outcomes task={task} />
        </Card>
        <Card title="What stayed, and why">
          {left_sum(task.left) === 0 ? <p class="faint">Nothing{runs ? ' so far' : ''}.</p> : <Left left={task.left} />}
        </Card>
        <Card title="Who and when">
          <dl class="facts">
            <div>
              <dt>Begun</dt>
              <dd>{time_text(task.startedAt)}</dd>
            </div>
            <div>
              <dt>Ended</dt>
              <dd>{task.finishedAt ? time_text(task.finishedAt) : '—'}</dd>
            </div>
            <div>
              <dt>By</dt>
              <dd>
                <Text of={task.actor} />
              </dd>
            </div>
          </dl>
        </Card>
      </div>
      {asks && (
        <Dialog title={`Cancel redrive ${id}`} on_close={() => set_asks(false)}>
          <p>What has gone by now has gone: {letters_text(task.moved)}. The rest stays.</p>
          <div class="buttons">
            <Button on_click={() => set_asks(false)}>Let it run</Button>
            <Button kind="danger" on_click={() => void cancel()}>
              Cancel the redrive
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
