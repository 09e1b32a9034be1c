// Redrive is the page of a redrive that runs or has ended: how far it is, and what came of it.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { TaskStatus } from '../api/schema';
import { may_everywhere, session, why_not } from '../api/session';
import { Button, Card, Figure, Loading, say, say_wrong, Wrong } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { FilterChips } from '../letters/filter';
import {
  count_text,
  duration_text,
  letters_text,
  rate_text,
  server_now,
  short_count,
  time_text,
} from '../parts/format';
import { started_here } from '../queues/started';
import { use_store } from '../store';
import { Text, visible } from '../parts/text';
import { use_api } from '../parts/use_api';
import { Left, Progress, State, action_text, left_sum } from '../queues/redrive_task';

// The server's counts of the messages that this redrive moved.
function Outcomes({ task }: { task: TaskStatus }) {
  const { acked = 0, diedAgain = 0, diedElsewhere = 0, dropped = 0 } = task.outcomes ?? {};
  if (task.moved === 0) return <p class="faint">Nothing has gone{task.state === 'running' ? ' yet' : ''}.</p>;
  const pending = Math.max(0, task.moved - acked - diedAgain - diedElsewhere - dropped);
  return (
    <>
      <dl class="figures">
        <Figure label="Acknowledged" value={short_count(acked)} kind={acked > 0 ? 'good' : ''} />
        <Figure
          label="Dead again, here"
          value={short_count(diedAgain)}
          kind={diedAgain > 0 ? 'dead' : ''}
          more={diedAgain > 0 && <a href={`/dead-letters/${task.queue}?view=letters&minReplays=1`}>replayed before</a>}
        />
        <Figure label="Dead, elsewhere" value={short_count(diedElsewhere)} kind={diedElsewhere > 0 ? 'dead' : ''} />
        <Figure label="Dropped" value={short_count(dropped)} />
        <Figure label="Not known yet" value={short_count(pending)} />
      </dl>
      {pending > 0 && (
        <p class="faint">
          Letters whose outcome is not known yet are on their way. The outcome of letters that were purged, or deleted
          with their queue, stays unknown.
        </p>
      )}
    </>
  );
}

const ENDED: Record<string, string> = {
  canaryFailed: 'too few canaries succeeded',
  cancelled: 'it was cancelled',
  failed: 'it failed',
  interrupted: 'it was interrupted',
};

function Stayed({ task }: { task: TaskStatus }) {
  const untouched = Math.max(0, task.total - task.moved - task.parked - left_sum(task.left));
  const why = ENDED[task.state];
  if (left_sum(task.left) === 0 && !(why && untouched > 0))
    return <p class="faint">Nothing{task.state === 'running' ? ' so far' : ''}.</p>;
  return (
    <>
      <Left left={task.left} />
      {why && untouched > 0 && (
        <ul class="left">
          <li>
            up to <b>{count_text(untouched)}</b> stay: {why} before their turn came
          </li>
        </ul>
      )}
    </>
  );
}

// Shows which letters the redrive takes, if this tab started it.
function Selection({ task }: { task: TaskStatus }) {
  const started = started_here(task);
  if (!started)
    return (
      <p class="faint">
        This redrive was not started in this tab, so the page does not know which letters it takes.
      </p>
    );
  const query = new URLSearchParams(started.query);
  const list = new URLSearchParams({ view: 'letters', ...Object.fromEntries(query), history: 'true' });
  return (
    <>
      {started.query === '' ? <p>All that were there.</p> : <FilterChips query={query} fixed />}
      {started.edited && <p class="faint">Edited on the way.</p>}
      <p>
        <a href={`/dead-letters/${task.queue}?${list}`}>See them in the list</a>
      </p>
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
        {status.error && !may_everywhere(now, 'operate') && (
          <p class="faint">This token is not shown redrives of queues that it may not operate.</p>
        )}
        {status.loading && <Loading />}
      </>
    );
  const runs = task.state === 'running';
  const took =
    ((task.finishedAt ? Date.parse(task.finishedAt) : server_now()) - Date.parse(task.startedAt ?? '')) / 1000;
  const went = task.moved + task.parked;
  const is_open = task.canaryAcked + task.canaryFailed < task.canaries;
  const waits = runs && is_open;
  const is_cut_short = !runs && is_open;
  const cancel = async () => {
    set_asks(false);
    try {
      await call('cancelRedrive', { path: { task: id }, body: {} });
      say(`${action_text(task)} ${id} is cancelled.`);
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
        <h1>
          {action_text(task)} {id}
        </h1>
        <State of={task.state} />
        <span>
          of{' '}
          <a href={`/dead-letters/${task.queue}`}>
            <Text of={task.queue} />
          </a>
          {task.to ? (
            <>
              {' '}
              to <Text of={task.to} />
            </>
          ) : (
            task.action === 'park' && ' to its parking queue'
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
            It has run for {duration_text(took)}
            {took > 1 && went > 0 && <>, {rate_text(went / took)}</>}.
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
              <Figure label="Acknowledged" value={count_text(task.canaryAcked)} kind={task.canaryAcked > 0 ? 'good' : ''} />
              <Figure label="Failed" value={count_text(task.canaryFailed)} kind={task.canaryFailed > 0 ? 'dead' : ''} />
            </dl>
            {waits && <p class="note info">The redrive waits until the outcome of these letters is known.</p>}
            {is_cut_short && (
              <p class="faint">
                These counts stop when the canary is decided or the redrive is cancelled. Later outcomes of these
                letters are counted beside this.
              </p>
            )}
          </Card>
        )}
        {task.action !== 'park' && (
          <Card title="What became of the moved letters">
            <Outcomes task={task} />
          </Card>
        )}
        <Card title="What stayed, and why">
          <Stayed task={task} />
        </Card>
        <Card title="Which letters">
          <Selection task={task} />
        </Card>
        <Card title="Who and when" wide>
          <dl class="facts row">
            <div>
              <dt>Started</dt>
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
        <Dialog title={`Cancel ${action_text(task).toLowerCase()} ${id}`} on_close={() => set_asks(false)}>
          <p>Already moved, and not moved back: {letters_text(went)}. The rest stays.</p>
          <div class="buttons">
            <Button on_click={() => set_asks(false)}>Let it run</Button>
            <Button kind="danger" on_click={() => void cancel()}>
              Cancel the {action_text(task).toLowerCase()}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
