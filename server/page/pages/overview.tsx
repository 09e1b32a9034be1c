// Is all well? Every queue, what holds, what runs, and which queue dead-letters where.
import { call } from '../api/client';
import type { QueueInfo } from '../api/schema';
import { may_everywhere, session, why_not } from '../api/session';
import { Button, Card, Loading, Wrong } from '../parts/controls';
import { count_from, read_sources, read_statistics } from '../queues/overview_reads';
import { QueueTable, shown_queues } from '../queues/queue_table';
import { use_queues } from '../queues/queues';
import { TaskLine } from '../queues/redrive_task';
import { dead_letter_queues, edges_of, RoutesGraph, type Counted, type Edge } from '../queues/routes_graph';
import { use_store } from '../store';
import { Totals } from '../queues/totals';
import { Unknown, why_unknown } from '../parts/unknown';
import { use_api } from '../parts/use_api';
import { WhatHolds } from '../queues/what_holds';
import { change_query, go, use_place } from '../router';

const FEW = 40; // queues, of which rates and ages are asked for more often

const names_of = (queues: QueueInfo[]): string[] => queues.map((one) => one.name ?? '');

function use_may_look(): (queue: QueueInfo) => boolean {
  const now = use_store(session);
  return (queue) => why_not(now, 'operate', queue.name ?? '') === undefined;
}

function Running() {
  const now = use_store(session);
  const redrives = use_api('redrives', async (signal) => (await call('listRedrives', { signal })).tasks ?? [], {
    every: 2000,
  });
  const running = (redrives.data ?? []).filter((task) => task.state === 'running');
  const unknown = why_unknown(redrives, why_not(now, 'operate', ''));
  return (
    <Card title="Redrives that run">
      {running.map((task) => (
        <TaskLine task={task} />
      ))}
      {running.length === 0 && unknown !== undefined && <Unknown because={unknown} />}
      {running.length === 0 && unknown === undefined && (
        <p class="faint">
          {may_everywhere(now, 'operate') ? 'None.' : 'None of a queue that this token may operate.'}{' '}
          <a href="/redrives">All redrives</a>
        </p>
      )}
    </Card>
  );
}

function Queues({ all }: { all: QueueInfo[] }) {
  const { query } = use_place();
  const now = use_store(session);
  const may_look = use_may_look();
  const looked = names_of(shown_queues(all, query).filter(may_look));
  const statistics = use_api(
    `${query.get('find') ?? ''} ${query.get('order') ?? ''}`,
    (signal) => read_statistics(looked, signal),
    { every: looked.length > FEW ? 20000 : 5000, after: () => false },
  );
  const why_no_statistic = (queue: QueueInfo) =>
    why_not(now, 'operate', queue.name ?? '') ?? why_unknown(statistics) ?? 'the server did not tell';
  const find = (
    <input
      type="search"
      class="find"
      aria-label="Find a queue"
      placeholder="Find a queue"
      value={query.get('find') ?? ''}
      onInput={(event) => change_query({ find: event.currentTarget.value || null }, true)}
    />
  );
  return (
    <Card title="Queues" tools={find}>
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
  );
}

function Routes({ all }: { all: QueueInfo[] }) {
  const now = use_store(session);
  const looked = names_of(dead_letter_queues(all).filter(use_may_look()));
  const sources = use_api('sources', (signal) => read_sources(looked, signal), { every: 5000 });
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
    <Card title="Where dead letters go">
      <RoutesGraph queues={all} from_source={from_source} />
    </Card>
  );
}

export function Overview() {
  const now = use_store(session);
  const { data: all, error, loading } = use_queues();
  if (!all)
    return (
      <>
        <h1>Overview</h1>
        <Wrong error={error} />
        {loading && <Loading />}
      </>
    );
  return (
    <>
      <div class="page-head">
        <h1>Overview</h1>
        <Button kind="plain" on_click={() => go('/queues')} reason={why_not(now, 'administer', '')}>
          New queue
        </Button>
      </div>
      <Wrong error={error} />
      <Totals queues={all} />
      <div class="columns">
        <Card title="What holds">
          <WhatHolds queues={all} stale={error?.message} />
        </Card>
        <Running />
      </div>
      <Queues all={all} />
      <Routes all={all} />
    </>
  );
}
