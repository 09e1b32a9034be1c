// Is all well? Every queue, what holds, what runs, and which queue dead-letters where.
import { call } from '../api/client';
import type { QueueInfo, TaskStatus } from '../api/schema';
import { knows_all, may_everywhere, session, why_not } from '../api/session';
import { Button, Card, Figure, Loading, Wrong } from '../parts/controls';
import { bytes_text, plural, short_count } from '../parts/format';
import { count_from, read_sources, read_statistics } from '../parts/overview_reads';
import { QueueTable, shown_queues } from '../parts/queue_table';
import { use_queues } from '../parts/queues';
import { TaskLine } from '../parts/redrive_task';
import { dead_letter_queues, edges_of, RoutesGraph, type Counted, type Edge } from '../parts/routes_graph';
import { use_store } from '../parts/store';
import { Unknown, why_unknown } from '../parts/unknown';
import { use_api } from '../parts/use_api';
import { WhatHolds } from '../parts/what_holds';
import { change_query, go, use_place } from '../router';

const FEW = 40; // queues, of which rates and ages are asked for more often

// What all queues have together, as far as the token is told of them.
function Totals({ queues: all }: { queues: QueueInfo[] }) {
  const now = use_store(session);
  const sum = (of: (queue: QueueInfo) => number) => all.reduce((total, one) => total + of(one), 0);
  const is_limited = !knows_all(now);
  const dead_queues = dead_letter_queues(all);
  const ready_dead = dead_queues.reduce((total, one) => total + one.counts.ready, 0);
  const untold =
    is_limited && all.length === 0 ? `the token “${now.name ?? ''}” may see no queue` : undefined;
  const untold_dead =
    is_limited && dead_queues.length === 0
      ? `the token “${now.name ?? ''}” may see no dead letter queue`
      : undefined;
  const of_those = is_limited ? ' that this token may see' : '';
  return (
    <dl class="figures">
      <Figure
        label="Dead letters"
        value={short_count(sum((one) => one.counts.dead))}
        more={`${is_limited ? 'in ' : ''}${plural(dead_queues.length, 'dead letter queue')}${of_those}`}
        kind={sum((one) => one.counts.dead) > 0 ? 'dead' : is_limited ? '' : 'good'}
        unknown={untold_dead}
      />
      <Figure
        label="Ready"
        value={short_count(sum((one) => one.counts.ready))}
        more={untold_dead ? undefined : `${short_count(ready_dead)} in dead letter queues`}
        unknown={untold}
      />
      <Figure label="Leased" value={short_count(sum((one) => one.counts.leased))} unknown={untold} />
      <Figure label="Waiting" value={short_count(sum((one) => one.counts.waiting))} unknown={untold} />
      <Figure
        label="Stored"
        value={bytes_text(sum((one) => one.bytes))}
        more={`${plural(all.length, 'queue')}${of_those}`}
        unknown={untold}
      />
    </dl>
  );
}

export function Overview() {
  const { query } = use_place();
  const now = use_store(session);
  const queues = use_queues();
  const all = queues.data ?? [];
  const may_look = (queue: QueueInfo) => why_not(now, 'operate', queue.name ?? '') === undefined;
  const looked = shown_queues(all, query).filter(may_look);
  const statistics = use_api(
    queues.data ? `${query.get('find') ?? ''} ${query.get('order') ?? ''}` : null,
    (signal) =>
      read_statistics(
        looked.map((one) => one.name ?? ''),
        signal,
      ),
    { every: looked.length > FEW ? 20000 : 5000, after: () => false },
  );
  const sources = use_api(
    queues.data ? 'sources' : null,
    (signal) =>
      read_sources(
        dead_letter_queues(all)
          .filter(may_look)
          .map((one) => one.name ?? ''),
        signal,
      ),
    { every: 5000 },
  );
  const redrives = use_api('redrives', async (signal) => (await call('listRedrives', { signal })).tasks ?? [], {
    every: 2000,
  });
  if (!queues.data)
    return (
      <>
        <h1>Overview</h1>
        <Wrong error={queues.error} />
        {queues.loading && <Loading />}
      </>
    );
  const running = (redrives.data ?? []).filter((task: TaskStatus) => task.state === 'running');
  const why_no_redrives = why_unknown(redrives, why_not(now, 'operate', ''));
  const why_no_statistic = (queue: QueueInfo) =>
    why_not(now, 'operate', queue.name ?? '') ?? why_unknown(statistics) ?? 'the server did not tell';
  const from_source = (edge: Edge): Counted => {
    const told = sources.data?.get(edge.to);
    if (!told)
      return { unknown: why_not(now, 'operate', edge.to) ?? why_unknown(sources) ?? 'the server did not tell' };
    // Several routes between the same two: which of them a letter took is not known, so the first tells of all.
    const several = edges_of(all).filter(
      (one) => one.from === edge.from && one.to === edge.to && one.kind !== 'parking',
    );
    return several.length > 1 && several[0].category !== edge.category ? {} : count_from(told, edge.from);
  };
  return (
    <>
      <div class="page-head">
        <h1>Overview</h1>
        <Button kind="plain" on_click={() => go('/queues')} reason={why_not(now, 'administer', '')}>
          New queue
        </Button>
      </div>
      <Wrong error={queues.error} />
      <Totals queues={all} />
      <div class="columns">
        <Card title="What holds">
          <WhatHolds queues={all} stale={queues.error?.message} />
        </Card>
        <Card title="Redrives that run">
          {running.length === 0 && why_no_redrives !== undefined ? (
            <Unknown because={why_no_redrives} />
          ) : running.length === 0 ? (
            <p class="faint">
              {may_everywhere(now, 'operate') ? 'None.' : 'None of a queue that this token may operate.'}{' '}
              <a href="/redrives">All redrives</a>
            </p>
          ) : (
            running.map((task) => <TaskLine task={task} />)
          )}
        </Card>
      </div>
      <Card
        title="Queues"
        tools={
          <input
            type="search"
            class="find"
            aria-label="Find a queue"
            placeholder="Find a queue"
            value={query.get('find') ?? ''}
            onInput={(event) => change_query({ find: event.currentTarget.value || null }, true)}
          />
        }
      >
        <QueueTable
          queues={all}
          statistics={statistics.data ?? new Map()}
          why_no_statistic={why_no_statistic}
          query={query}
        />
        <p class="faint">
          Rates are those of the last minute, as the server has them; their lines begin when this page was opened.
          {!all.every(may_look) && ' Of a queue that this token may not operate, a rate is that since the last look.'}
        </p>
      </Card>
      <Card title="Where dead letters go">
        <RoutesGraph queues={all} from_source={from_source} />
      </Card>
    </>
  );
}
