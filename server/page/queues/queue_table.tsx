// All queues, a row each.
import type { QueueInfo } from '../api/schema';
import { knows_all, session } from '../api/session';
import { change_query } from '../router';
import { is_braked } from './alerts';
import { Spark } from '../parts/charts';
import { Badge } from '../parts/controls';
import { age_seconds, bytes_text, duration_text, plural, rate_text, short_count, time_text } from '../parts/format';
import type { Statistic } from './overview_reads';
import { last_rate, rates } from './queue_rates';
import { UnknownMark } from '../parts/unknown';

const ROWS = 300; // the others are found by name

type Order = 'name' | 'ready' | 'leased' | 'waiting' | 'dead';
const MINOR: Order[] = ['leased', 'waiting']; // not on a phone

// As the table has them.
function matching(queues: QueueInfo[], query: URLSearchParams): QueueInfo[] {
  const order = (query.get('order') ?? 'name') as Order;
  const wanted = (query.get('find') ?? '').toLowerCase();
  const shown = queues.filter((queue) => (queue.name ?? '').toLowerCase().includes(wanted));
  if (order !== 'name') shown.sort((a, b) => b.counts[order] - a.counts[order]);
  return shown;
}

// Those of which the table has a row.
export const shown_queues = (queues: QueueInfo[], query: URLSearchParams) => matching(queues, query).slice(0, ROWS);

const rate_of = (rate: number | undefined) => (rate === undefined ? '' : rate_text(rate));

export function QueueTable({
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
  const shown = matching(queues, query);
  const head = (name: Order, text: string) => (
    <th
      scope="col"
      class={name === 'name' ? '' : MINOR.includes(name) ? 'number minor' : 'number'}
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
      <table class="rows queue-table">
        <thead>
          <tr>
            {head('name', 'Queue')}
            {head('ready', 'Ready')}
            {head('leased', 'Leased')}
            {head('waiting', 'Waiting')}
            {head('dead', 'Dead')}
            <th scope="col" class="minor">
              In
            </th>
            <th scope="col" class="minor">
              Out
            </th>
            <th scope="col" class="number">
              Oldest ready
            </th>
            <th scope="col" class="number minor">
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
                <th scope="row" class="name">
                  <a href={queue.counts.dead > 0 ? `/dead-letters/${name}` : `/queues/${name}`}>{name}</a>
                </th>
                <td class="number">{short_count(queue.counts.ready)}</td>
                <td class="number minor">{short_count(queue.counts.leased)}</td>
                <td class="number minor">{short_count(queue.counts.waiting)}</td>
                <td class={queue.counts.dead > 0 ? 'number dead' : 'number faint'}>{short_count(queue.counts.dead)}</td>
                <td class="rate minor">
                  <Spark values={rates(queue, 'sent')} label={`sent to ${name}`} />
                  {rate_of(statistic?.sent ?? last_rate(queue, 'sent'))}
                </td>
                <td class="rate minor">
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
                <td class="number minor">{bytes_text(queue.bytes)}</td>
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
