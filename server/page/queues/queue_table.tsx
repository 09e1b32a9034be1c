// QueueTable shows all queues. Queues in trouble are at the top, and quiet queues are folded into one line.
import type { ComponentChildren } from 'preact';
import type { QueueInfo } from '../api/schema';
import { change_query } from '../router';
import { is_braked } from './alerts';
import { Spark } from '../parts/charts';
import { Badge } from '../parts/controls';
import { age_seconds, bytes_text, duration_text, plural, rate_text, short_count, time_text } from '../parts/format';
import type { Statistic } from './overview_reads';
import { is_quiet, order_of, rising, sorted, type Order, type Statistics } from './queue_order';
import { last_rate, rates } from './queue_rates';
import { no_queue_text } from './queues';
import { UnknownMark } from '../parts/unknown';

const ROWS = 300; // how many rows are shown; the other queues are found by name
const FEW = 5; // so few quiet queues take no more room than the line that folds them

interface Shown {
  rows: QueueInfo[];
  quiet: QueueInfo[]; // the queues behind the line, whether it is open or not
  left_out: number; // how many queues have no row
}

const is_open = (query: URLSearchParams): boolean => query.get('quiet') === 'shown';

// Somebody who searches for a name or chose an order wants to see all queues, so none are folded then.
export function shown_queues(queues: QueueInfo[], statistics: Statistics, query: URLSearchParams): Shown {
  const order = order_of(query);
  const find = (query.get('find') ?? '').toLowerCase();
  const found = sorted(
    queues.filter((queue) => (queue.name ?? '').toLowerCase().includes(find)),
    order,
    statistics,
  );
  const quiet =
    order === 'trouble' && find === '' ? found.filter((one) => is_quiet(one, statistics.get(one.name ?? ''))) : [];
  if (quiet.length <= FEW) return { rows: found.slice(0, ROWS), quiet: [], left_out: Math.max(0, found.length - ROWS) };
  const folded = new Set(quiet);
  const loud = found.filter((one) => !folded.has(one));
  const rows = is_open(query) ? [...loud, ...quiet] : loud;
  return { rows: rows.slice(0, ROWS), quiet, left_out: Math.max(0, rows.length - ROWS) };
}

const HEADS: { order?: Order; text: string; kind?: string }[] = [
  { order: 'name', text: 'Queue' },
  { order: 'ready', text: 'Ready', kind: 'number' },
  { order: 'leased', text: 'Leased', kind: 'number minor' },
  { order: 'waiting', text: 'Waiting', kind: 'number minor' },
  { order: 'dead', text: 'Dead', kind: 'number' },
  { text: 'In', kind: 'minor' },
  { text: 'Out', kind: 'minor' },
  { order: 'oldest', text: 'Oldest ready', kind: 'number' },
  { order: 'bytes', text: 'Bytes', kind: 'number minor' },
  { order: 'trouble', text: 'State' },
];

function Head({ query }: { query: URLSearchParams }) {
  const now = order_of(query);
  return (
    <thead>
      <tr>
        {HEADS.map(({ order, text, kind }) => (
          <th
            scope="col"
            class={kind}
            aria-sort={order !== now ? undefined : order === 'name' ? 'ascending' : 'descending'}
          >
            {order ? (
              <button
                type="button"
                title={order === 'trouble' ? 'Sort by trouble, the worst first' : undefined}
                onClick={() => change_query({ order: order === 'trouble' ? null : order }, true)}
              >
                {text}
                {order === now && <span aria-hidden="true"> ▾</span>}
              </button>
            ) : (
              text
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function State({ queue, statistic }: { queue: QueueInfo; statistic?: Statistic }) {
  const rise = rising(queue, statistic);
  return (
    <>
      {queue.alerts?.some((one) => one.critical) ? (
        <Badge kind="critical">critical</Badge>
      ) : queue.alerts?.length ? (
        <Badge kind="warning">warning</Badge>
      ) : null}
      {(queue.paused.deliveries || queue.paused.sends) && <Badge kind="info">paused</Badge>}
      {is_braked(queue) && <Badge kind="info">brake</Badge>}
      {rise && <Badge kind="warning">{rise}</Badge>}
    </>
  );
}

const rate_of = (rate: number | undefined) => (rate === undefined ? '' : rate_text(rate));

interface RowProps {
  queue: QueueInfo;
  statistic?: Statistic;
  why_none: string; // shown if there is no statistic
}

function Row({ queue, statistic, why_none }: RowProps) {
  const name = queue.name ?? '';
  const oldest = statistic?.oldest;
  const lines = statistic?.lines;
  const { ready, leased, waiting, dead } = queue.counts;
  return (
    <tr>
      <th scope="row" class="name">
        <a href={dead > 0 ? `/dead-letters/${name}` : `/queues/${name}`}>{name}</a>
      </th>
      <td class="number">{short_count(ready)}</td>
      <td class="number minor">{short_count(leased)}</td>
      <td class="number minor">{short_count(waiting)}</td>
      <td class={dead > 0 ? 'number dead' : 'number faint'}>{short_count(dead)}</td>
      <td class="rate minor">
        <Spark values={lines?.died ?? rates(queue, 'sent')} label={lines ? `died into ${name}` : `sent to ${name}`} />
        {rate_of(statistic?.sent ?? last_rate(queue, 'sent'))}
      </td>
      <td class="rate minor">
        <Spark values={lines?.left ?? rates(queue, 'acked')} label={lines ? `left ${name}` : `acknowledged of ${name}`} />
        {rate_of(statistic?.acked ?? last_rate(queue, 'acked'))}
      </td>
      <td class="number" title={oldest ? time_text(oldest) : undefined}>
        {!statistic ? <UnknownMark because={why_none} /> : oldest ? duration_text(age_seconds(oldest)) : '—'}
      </td>
      <td class="number minor">{bytes_text(queue.bytes)}</td>
      <td>
        <State queue={queue} statistic={statistic} />
      </td>
    </tr>
  );
}

function Quiet({ count, query }: { count: number; query: URLSearchParams }) {
  const open = is_open(query);
  return (
    <p class="quiet-queues">
      <span aria-hidden="true">{open ? '▾' : '▸'} </span>
      <button
        type="button"
        class="link"
        aria-expanded={open}
        onClick={() => change_query({ quiet: open ? null : 'shown' }, true)}
      >
        {plural(count, 'queue is', 'queues are')} quiet
      </button>
      <span class="faint">: nothing is in them, and nothing comes or goes.</span>
    </p>
  );
}

function none_text(all: QueueInfo[]): ComponentChildren {
  if (all.length > 0) return 'No queue has such a name.';
  return no_queue_text();
}

interface TableProps {
  queues: QueueInfo[];
  statistics: Statistics;
  why_no_statistic: (queue: QueueInfo) => string; // shown if a queue has no statistic
  query: URLSearchParams;
}

export function QueueTable({ queues, statistics, why_no_statistic, query }: TableProps) {
  const { rows, quiet, left_out } = shown_queues(queues, statistics, query);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of queues">
      <table class="rows queue-table">
        <Head query={query} />
        <tbody>
          {rows.map((queue) => (
            <Row
              key={queue.id}
              queue={queue}
              statistic={statistics.get(queue.name ?? '')}
              why_none={why_no_statistic(queue)}
            />
          ))}
        </tbody>
      </table>
      {left_out > 0 && <p class="faint">And {plural(left_out, 'more', 'more')}: find them by name.</p>}
      {quiet.length > 0 && <Quiet count={quiet.length} query={query} />}
      {rows.length + quiet.length === 0 && <p class="faint">{none_text(queues)}</p>}
    </div>
  );
}
