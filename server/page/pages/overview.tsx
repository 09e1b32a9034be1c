// Overview shows every queue, alerts and pauses, redrives that run, and which queue dead-letters where.
import { useRef } from 'preact/hooks';
import { call } from '../api/client';
import type { QueueInfo } from '../api/schema';
import { may_everywhere, session, why_not } from '../api/session';
import { Button, Card, Check, Loading, Wrong } from '../parts/controls';
import { count_from, read_sources, read_statistics } from '../queues/overview_reads';
import type { Statistics } from '../queues/queue_order';
import { QueueTable, shown_queues } from '../queues/queue_table';
import { use_queues } from '../queues/queues';
import { TaskLine } from '../queues/redrive_task';
import { dead_letter_queues, targets_of, type Counted, type Way } from '../queues/routes';
import { RoutesGraph } from '../queues/routes_graph';
import { use_store } from '../store';
import { Totals } from '../queues/totals';
import { Unknown, why_unknown } from '../parts/unknown';
import { use_api } from '../parts/use_api';
import { WhatHolds } from '../queues/what_holds';
import { change_query, go, use_place } from '../router';

const FEW = 40; // up to so many queues, rates and ages are read more often
const MOST = 300; // how many queues rates and ages are read for

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
    <Card title="Running redrives">
      {running.map((task) => (
        <TaskLine task={task} />
      ))}
      {running.length === 0 && unknown !== undefined && <Unknown because={unknown} />}
      {running.length === 0 && unknown === undefined && (
        <p class="faint">
          {may_everywhere(now, 'operate') ? 'None.' : 'None in the queues that this token may operate.'}{' '}
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
  const known = useRef<Statistics>(new Map());
  const { rows, quiet } = shown_queues(all, known.current, query);
  // Folded queues are read too, since a queue stays folded only while it is quiet.
  const looked = [...new Set([...rows, ...quiet])].filter(may_look).slice(0, MOST);
  const statistics = use_api(
    `${query.get('find') ?? ''} ${query.get('order') ?? ''}`,
    (signal) => read_statistics(looked, new Set(dead_letter_queues(all)), signal),
    { every: looked.length > FEW ? 20000 : 5000, after: () => false },
  );
  if (statistics.data) known.current = statistics.data;
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
        statistics={known.current}
        why_no_statistic={why_no_statistic}
        query={query}
      />
      <p class="faint">
        Rates are the server’s averages over the last minute, and 0 once a minute was empty. Their lines start when this
        page was opened. For a dead letter queue, In is what dies into it or is put there, and Out is what leaves it, in
        the last minute and as far as this page has seen it.
        {!all.every(may_look) && ' For a queue that this token may not operate, the rate since the last look is shown.'}
      </p>
    </Card>
  );
}

function Routes({ all }: { all: QueueInfo[] }) {
  const now = use_store(session);
  const looked = names_of(dead_letter_queues(all).filter(use_may_look()));
  const sources = use_api('sources', (signal) => read_sources(looked, signal), { every: 5000 });
  const { query } = use_place();
  const only_dead = query.get('routes') === 'dead';
  const counted = ({ from, to, parks }: Way): Counted => {
    if (parks) return { count: all.find((one) => one.name === from)!.totals.parked };
    const told = sources.data?.get(to);
    if (told) return count_from(told, from);
    return { unknown: why_not(now, 'operate', to) ?? why_unknown(sources) ?? 'the server did not tell' };
  };
  const only = (
    <Check
      label="Only those with dead letters"
      value={only_dead}
      on_change={(on) => change_query({ routes: on ? 'dead' : null }, true)}
    />
  );
  return (
    <Card title="Where dead letters go" tools={only}>
      <RoutesGraph queues={all} targets={targets_of(all, counted)} only_dead={only_dead} />
      <p class="faint">
        The number on an arrow is how many of the dead letters that are there now came that way. For parked letters, it
        is how many were ever parked.
      </p>
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
        <Card title="Alerts and pauses">
          <WhatHolds queues={all} stale={error?.message} />
        </Card>
        <Running />
      </div>
      <Queues all={all} />
      <Routes all={all} />
    </>
  );
}
