// An Order says how queues are sorted, and is_quiet() which of them need no attention.
import type { QueueInfo } from '../api/schema';
import { is_moving, rate_text } from '../parts/format';
import { is_braked } from './alerts';
import type { Statistic } from './overview_reads';
import { dead_since, last_rate } from './queue_rates';

export type Statistics = ReadonlyMap<string, Statistic>;

const KEYS = ['trouble', 'name', 'ready', 'leased', 'waiting', 'dead', 'oldest', 'bytes'] as const;
export type Order = (typeof KEYS)[number];

export const order_of = (query: URLSearchParams): Order => {
  const wanted = query.get('order') as Order;
  return KEYS.includes(wanted) ? wanted : 'trouble';
};

// Says in words that the dead letters of a queue become more. Undefined if they do not.
export function rising(queue: QueueInfo, statistic: Statistic | undefined): string | undefined {
  if (is_moving(statistic?.died ?? 0)) return `${rate_text(statistic!.died!)} come`;
  if (statistic && is_moving(statistic.dead)) return `${rate_text(statistic.dead)} die`;
  const more = dead_since(queue);
  return more > 0 ? `${more} more dead` : undefined;
}

const is_paused = ({ paused }: QueueInfo) => paused.deliveries || paused.sends;

const RISING = 2;

// Ranks how much attention a queue needs, from a critical alert (5) to nothing at all (0).
export function trouble(queue: QueueInfo, statistic: Statistic | undefined): number {
  if (queue.alerts?.some((one) => one.critical)) return 5;
  if (queue.alerts?.length) return 4;
  if (is_paused(queue) || is_braked(queue)) return 3;
  if (rising(queue, statistic)) return RISING;
  return queue.counts.dead > 0 ? 1 : 0;
}

// A queue is quiet if it is empty, nothing comes or goes, and it has no alert, pause or brake.
export function is_quiet(queue: QueueInfo, statistic: Statistic | undefined): boolean {
  const { ready, leased, waiting } = queue.counts;
  const moves = [
    statistic?.sent ?? last_rate(queue, 'sent') ?? 0,
    statistic?.acked ?? last_rate(queue, 'acked') ?? 0,
  ].some(is_moving);
  return ready + leased + waiting === 0 && !moves && trouble(queue, statistic) === 0;
}

const VALUES: Record<Exclude<Order, 'name' | 'trouble'>, (queue: QueueInfo, statistic?: Statistic) => number> = {
  ready: (queue) => queue.counts.ready,
  leased: (queue) => queue.counts.leased,
  waiting: (queue) => queue.counts.waiting,
  dead: (queue) => queue.counts.dead,
  oldest: (_, statistic) => (statistic?.oldest ? -Date.parse(statistic.oldest) : -Infinity),
  bytes: (queue) => queue.bytes,
};

const by_name = (a: QueueInfo, b: QueueInfo) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
const descending = (a: number, b: number) => (a === b ? 0 : a > b ? -1 : 1);

export function sorted(queues: QueueInfo[], order: Order, statistics: Statistics): QueueInfo[] {
  if (order === 'name') return [...queues].sort(by_name);
  const statistic = (queue: QueueInfo) => statistics.get(queue.name ?? '');
  const values = new Map(
    queues.map((queue) => [
      queue,
      order === 'trouble' ? trouble(queue, statistic(queue)) : VALUES[order](queue, statistic(queue)),
    ]),
  );
  // Queues that dead letters go to are above the queues that they come from.
  const rise = (queue: QueueInfo) => (values.get(queue) === RISING ? (statistic(queue)?.died ?? 0) : 0);
  const by_rise = (a: QueueInfo, b: QueueInfo) => descending(rise(a), rise(b));
  return [...queues].sort(
    (a, b) =>
      descending(values.get(a)!, values.get(b)!) ||
      (order === 'trouble' ? by_rise(a, b) || descending(a.counts.dead, b.counts.dead) : 0) ||
      by_name(a, b),
  );
}
