// Is all well? Every queue, what holds, what runs, and which queue dead-letters where.
import { useRef } from 'preact/hooks';
import { call } from '../api/client';
import type { QueueInfo, TaskStatus } from '../api/schema';
import { Badge, Button, Card, Figure, Loading, Wrong } from '../parts/controls';
import { holding } from '../parts/alerts';
import { Spark } from '../parts/charts';
import {
  bytes_text,
  duration_text,
  plural,
  rate_text,
  short_count,
  time_text,
  age_seconds,
  server_now,
} from '../parts/format';
import { dead_letter_queues, edges_of, RoutesGraph, type Counted, type Edge } from '../parts/routes_graph';
import { use_api } from '../parts/use_api';
import { Unknown, UnknownMark, why_unknown } from '../parts/unknown';
import { is_stranger, knows_all, may, may_everywhere, session, why_not } from '../api/session';
import { use_store } from '../parts/store';
import { go, use_place, change_query } from '../router';
import { visible } from '../parts/text';
import { TaskLine } from '../parts/redrive_task';

const SAMPLES = 40;
const ROWS = 300; // of the table; the others are found by name
export const MANY_QUEUES = 500; // queues, of which all together are asked for less often
const FEW = 40; // queues, of which rates and ages are asked for more often
const MOST_SOURCES = 1000; // of a queue's dead letters, which is the most that the server tells of
const AT_ONCE = 6; // calls that run side by side

interface Sample {
  at: number;
  sent: number;
  acked: number;
}

// Totals as they were, by queue: rates are their differences. Kept while the page is open.
const samples = new Map<string, Sample[]>();

function note_totals(queues: QueueInfo[]): void {
  const at = Date.now();
  for (const { id, name, totals } of queues) {
    const key = `${id} ${name}`;
    const list = samples.get(key) ?? [];
    const last = list.at(-1);
    if (last && at - last.at < 900) continue;
    list.push({ at, sent: totals.sent, acked: totals.acked });
    samples.set(key, list.slice(-SAMPLES - 1));
  }
}

function rates(queue: QueueInfo, of: 'sent' | 'acked'): number[] {
  const list = samples.get(`${queue.id} ${queue.name}`) ?? [];
  return list.slice(1).map((now, i) => Math.max(0, now[of] - list[i][of]) / ((now.at - list[i].at) / 1000));
}

// Since the sample before the last one: of queues of which the server was not asked for its own rates.
const last_rate = (queue: QueueInfo, of: 'sent' | 'acked') => rates(queue, of).at(-1);

const is_braked = (queue: QueueInfo) => queue.brakedUntil !== undefined && Date.parse(queue.brakedUntil) > server_now();

// Of a token that is told of some queues only: the dead letter queues of those that it uses may be among the others.
function Untold({ queues }: { queues: QueueInfo[] }) {
  const now = use_store(session);
  if (knows_all(now)) return null;
  return (
    <p class="note warning">
      The token “{visible(now.name ?? '')}” may see {plural(queues.length, 'queue')} only. What holds of the others is
      not told.
    </p>
  );
}

// `stale`: why it may be so no more.
function Alerts({ queues, stale }: { queues: QueueInfo[]; stale?: string }) {
  const now = use_store(session);
  const all = holding(queues);
  const stopped = queues.filter((queue) => queue.paused.deliveries || queue.paused.sends || is_braked(queue));
  if (all.length === 0 && stopped.length === 0 && stale !== undefined)
    return <Unknown because={stale}>Nothing held when it last did.</Unknown>;
  if (all.length === 0 && stopped.length === 0)
    return knows_all(now) ? (
      <p class="note done">Nothing holds: no alert, no pause, no brake.</p>
    ) : (
      <Untold queues={queues} />
    );
  return (
    <>
      <Untold queues={queues} />
      <ul class="alerts">
        {all.map((one) => (
          <li>
            <Badge kind={one.critical ? 'critical' : 'warning'}>{one.critical ? 'critical' : 'warning'}</Badge>
            <a href={`/dead-letters/${one.queue}`}>{one.queue}</a>
            <span>{one.text}</span>
            <span class="faint" title={`since ${time_text(one.since)}`}>
              for {duration_text(one.since ? Math.max(0, age_seconds(one.since)) : 0)}
            </span>
          </li>
        ))}
        {stopped.map((queue) => (
          <li>
            <Badge kind="info">{is_braked(queue) ? 'brake' : 'paused'}</Badge>
            <a href={`/queues/${queue.name}`}>{queue.name}</a>
            <span>
              {is_braked(queue)
                ? `slowed until ${time_text(queue.brakedUntil)}: its messages die in large numbers`
                : `${[queue.paused.deliveries && 'deliveries', queue.paused.sends && 'sends'].filter(Boolean).join(' and ')} stopped`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

interface Statistic {
  oldest?: string | null;
  sent: number;
  acked: number;
}

// As the table has them.
function shown_queues(queues: QueueInfo[], query: URLSearchParams): QueueInfo[] {
  const order = (query.get('order') ?? 'name') as Order;
  const wanted = (query.get('find') ?? '').toLowerCase();
  const shown = queues.filter((queue) => (queue.name ?? '').toLowerCase().includes(wanted));
  if (order !== 'name') shown.sort((a, b) => b.counts[order] - a.counts[order]);
  return shown;
}

type Order = 'name' | 'ready' | 'leased' | 'waiting' | 'dead';

const rate_of = (rate: number | undefined) => (rate === undefined ? '' : rate_text(rate));

function QueueTable({
  queues,
  statistics,
  why_no_statistic,
  query,
}: {
  queues: QueueInfo[];
  statistics: Map<string, Statistic>;
  why_no_statistic: (queue: QueueInfo) => string; // where there is none
  query: URLSearchParams;
}) {
  const order = (query.get('order') ?? 'name') as Order;
  const shown = shown_queues(queues, query);
  const head = (name: Order, text: string) => (
    <th
      scope="col"
      class={name === 'name' ? '' : 'number'}
      aria-sort={order === name ? (name === 'name' ? 'ascending' : 'descending') : undefined}
    >
      <button type="button" onClick={() => change_query({ order: name === 'name' ? null : name }, true)}>
        {text}
        {order === name && <span aria-hidden="true"> ▾</span>}
      </button>
    </th>
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Queues">
      <table class="rows">
        <thead>
          <tr>
            {head('name', 'Queue')}
            {head('ready', 'Ready')}
            {head('leased', 'Leased')}
            {head('waiting', 'Waiting')}
            {head('dead', 'Dead')}
            <th scope="col">In</th>
            <th scope="col">Out</th>
            <th scope="col" class="number">
              Oldest ready
            </th>
            <th scope="col" class="number">
              Bytes
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {shown.slice(0, ROWS).map((queue) => {
            const name = queue.name ?? '';
            const statistic = statistics.get(name);
            const oldest = statistic?.oldest;
            return (
              <tr key={queue.id}>
                <th scope="row">
                  <a href={queue.counts.dead > 0 ? `/dead-letters/${name}` : `/queues/${name}`}>{name}</a>
                </th>
                <td class="number">{short_count(queue.counts.ready)}</td>
                <td class="number">{short_count(queue.counts.leased)}</td>
                <td class="number">{short_count(queue.counts.waiting)}</td>
                <td class={queue.counts.dead > 0 ? 'number dead' : 'number faint'}>{short_count(queue.counts.dead)}</td>
                <td class="rate">
                  <Spark values={rates(queue, 'sent')} label={`sent to ${name}`} />
                  {rate_of(statistic?.sent ?? last_rate(queue, 'sent'))}
                </td>
                <td class="rate">
                  <Spark values={rates(queue, 'acked')} label={`acknowledged of ${name}`} />
                  {rate_of(statistic?.acked ?? last_rate(queue, 'acked'))}
                </td>
                <td class="number" title={oldest ? time_text(oldest) : undefined}>
                  {!statistic ? (
                    <UnknownMark because={why_no_statistic(queue)} />
                  ) : oldest ? (
                    duration_text(age_seconds(oldest))
                  ) : (
                    '—'
                  )}
                </td>
                <td class="number">{bytes_text(queue.bytes)}</td>
                <td>
                  {queue.alerts?.some((one) => one.critical) ? (
                    <Badge kind="critical">critical</Badge>
                  ) : queue.alerts?.length ? (
                    <Badge kind="warning">warning</Badge>
                  ) : null}
                  {(queue.paused.deliveries || queue.paused.sends) && <Badge kind="info">paused</Badge>}
                  {is_braked(queue) && <Badge kind="info">brake</Badge>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown.length > ROWS && (
        <p class="faint">And {plural(shown.length - ROWS, 'more', 'more')}: find them by name.</p>
      )}
      {shown.length === 0 && (
        <p class="faint">
          {queues.length > 0
            ? 'No queue is named so.'
            : knows_all(session.get())
              ? 'There is no queue yet.'
              : 'There is no queue that this token may see.'}
        </p>
      )}
    </div>
  );
}

// A few at a time, so that the others' calls get through.
async function for_each_name(names: string[], work: (name: string) => Promise<void>): Promise<void> {
  const left = [...names];
  const one_after_another = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await work(name);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one_after_another));
}

async function read_statistics(names: string[], signal: AbortSignal): Promise<Map<string, Statistic>> {
  const all = new Map<string, Statistic>();
  await for_each_name(names, async (name) => {
    const told = await call('queueStatistics', { path: { name }, signal }).catch(() => null); // deleted meanwhile, or not for this token
    if (told)
      all.set(name, { oldest: told.oldestReady, sent: told.sent?.oneMinute ?? 0, acked: told.acked?.oneMinute ?? 0 });
  });
  return all;
}

interface Sources {
  counts: Map<string, number>; // by source
  left_out: boolean; // the server did not tell of all sources
  complete: boolean; // it looked at all dead letters
}

// How many of a queue's dead letters came from where, by queue.
async function read_sources(names: string[], signal: AbortSignal): Promise<Map<string, Sources>> {
  const all = new Map<string, Sources>();
  await for_each_name(names, async (queue) => {
    const query = { by: 'source', max: MOST_SOURCES } as const;
    const told = await call('groupDeadLetters', { path: { queue }, query, signal }).catch(() => null);
    if (!told) return;
    const counts = new Map((told.groups ?? []).map((one) => [one.value ?? '', one.count]));
    all.set(queue, { counts, left_out: told.leftOut > 0, complete: told.complete });
  });
  return all;
}

// What was not counted to its end is not known, and neither is what the server left out.
function count_from({ counts, left_out, complete }: Sources, source: string): Counted {
  if (!complete) return { unknown: 'only the first million dead letters were looked at' };
  const count = counts.get(source);
  if (count === undefined && left_out) return { unknown: `the server tells of ${MOST_SOURCES} sources only` };
  return { count: count ?? 0 };
}

export function Overview() {
  const { query } = use_place();
  const now = use_store(session);
  const names = useRef<QueueInfo[]>([]);
  const open = is_stranger(now) ? null : 'all';
  const queues = use_api(
    open,
    async (signal) => {
      const { queues = [] } = await call('listQueues', { signal });
      note_totals(queues);
      names.current = queues;
      return queues;
    },
    { every: names.current.length > MANY_QUEUES ? 15000 : 2000 },
  );
  const ready = queues.data ? open : null;
  const may_look = (queue: QueueInfo) => why_not(now, 'operate', queue.name ?? '') === undefined;
  const looked = shown_queues(names.current, query).slice(0, ROWS).filter(may_look);
  const statistics = use_api(
    ready && `${query.get('find') ?? ''} ${query.get('order') ?? ''}`,
    (signal) =>
      read_statistics(
        looked.map((one) => one.name ?? ''),
        signal,
      ),
    { every: looked.length > FEW ? 20000 : 5000, after: () => false },
  );
  const sources = use_api(
    ready,
    (signal) =>
      read_sources(
        dead_letter_queues(names.current)
          .filter(may_look)
          .map((one) => one.name ?? ''),
        signal,
      ),
    { every: 5000 },
  );
  const redrives = use_api(open, async (signal) => (await call('listRedrives', { signal })).tasks ?? [], {
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
  const sum = (of: (queue: QueueInfo) => number) => queues.data!.reduce((all, one) => all + of(one), 0);
  const running = (redrives.data ?? []).filter((task: TaskStatus) => task.state === 'running');
  const why_no_redrives = why_unknown(redrives, may(now, 'operate', '') ? undefined : why_not(now, 'operate', ''));
  const why_no_statistic = (queue: QueueInfo) =>
    why_not(now, 'operate', queue.name ?? '') ?? why_unknown(statistics) ?? 'the server did not tell';
  const is_limited = !knows_all(now);
  const dead_queues = dead_letter_queues(queues.data);
  const ready_dead = dead_queues.reduce((all, one) => all + one.counts.ready, 0);
  const untold =
    is_limited && queues.data.length === 0 ? `the token “${now.name ?? ''}” may see no queue` : undefined;
  const untold_dead =
    is_limited && dead_queues.length === 0
      ? `the token “${now.name ?? ''}” may see no dead letter queue`
      : undefined;
  const of_those = is_limited ? ' that this token may see' : '';
  const from_source = (edge: Edge): Counted => {
    const told = sources.data?.get(edge.to);
    if (!told)
      return { unknown: why_not(now, 'operate', edge.to) ?? why_unknown(sources) ?? 'the server did not tell' };
    // Several routes between the same two: which of them a letter took is not known, so the first tells of all.
    const several = edges_of(queues.data!).filter(
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
          more={`${plural(queues.data.length, 'queue')}${of_those}`}
          unknown={untold}
        />
      </dl>
      <div class="columns">
        <Card title="What holds">
          <Alerts queues={queues.data} stale={queues.error?.message} />
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
        <QueueTable queues={queues.data} statistics={statistics.data ?? new Map()} why_no_statistic={why_no_statistic} query={query} />
      </Card>
      <Card title="Where dead letters go">
        <RoutesGraph queues={queues.data} from_source={from_source} />
      </Card>
    </>
  );
}
