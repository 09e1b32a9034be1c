// The overview reads this for each queue: rates, ages, and where its dead letters came from.
import { call } from '../api/client';
import type { QueueInfo } from '../api/schema';
import { note_dead, type DeadRates } from './dead_rates';
import type { Counted } from './routes';
import { rate_now } from './server_rates';

const MOST_SOURCES = 1000; // how many sources of dead letters the server returns at most
const AT_ONCE = 6; // calls that run side by side

export interface Statistic extends DeadRates {
  oldest?: string | null;
  sent: number;
  acked: number;
  dead: number; // dead-lettered messages
}

async function read_dead(queue: QueueInfo, signal: AbortSignal): Promise<DeadRates> {
  const path = { queue: queue.name ?? '' };
  const told = await call('deadLetterStatistics', { path, query: { hours: 2, days: 0 }, signal }).catch(() => null);
  return told ? note_dead(queue, told) : {};
}

// Works on a few at a time, so that the other calls of the page get through.
async function for_each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const one_after_another = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one_after_another));
}

// `dead`: the queues that dead letters go to.
export async function read_statistics(
  queues: readonly QueueInfo[],
  dead: ReadonlySet<QueueInfo>,
  signal: AbortSignal,
): Promise<Map<string, Statistic>> {
  const all = new Map<string, Statistic>();
  await for_each(queues, async (queue) => {
    const { name = '' } = queue;
    // The queue may be deleted by now, or the token may not ask about it.
    const told = await call('queueStatistics', { path: { name }, signal }).catch(() => null);
    if (!told) return;
    const rates = dead.has(queue) ? await read_dead(queue, signal) : {};
    all.set(name, {
      oldest: told.oldestReady,
      sent: Math.max(rate_now(told.sent, queue, 'sent'), rates.died ?? 0), // a direct send of a dead letter counts as both
      acked: Math.max(rate_now(told.acked, queue, 'acked'), rates.left ?? 0), // an ack of a dead letter counts as both
      dead: rate_now(told.deadLettered, queue, 'deadLettered'),
      ...rates,
    });
  });
  return all;
}

interface Sources {
  counts: Map<string, number>; // the number of dead letters by source
  left_out: boolean; // whether the server left out sources
  complete: boolean; // whether the server looked at all dead letters
}

// Reads for each queue how many of its dead letters came from each source.
export async function read_sources(names: string[], signal: AbortSignal): Promise<Map<string, Sources>> {
  const all = new Map<string, Sources>();
  await for_each(names, async (queue) => {
    const query = { by: 'source', max: MOST_SOURCES } as const;
    const told = await call('groupDeadLetters', { path: { queue }, query, signal }).catch(() => null);
    if (!told) return;
    const counts = new Map((told.groups ?? []).map((one) => [one.value ?? '', one.count]));
    all.set(queue, { counts, left_out: told.leftOut > 0, complete: told.complete });
  });
  return all;
}

// A count that was not finished is not known, and neither is the count of a source that the server left out.
export function count_from({ counts, left_out, complete }: Sources, source: string): Counted {
  if (!complete) return { unknown: 'only the first million dead letters were looked at' };
  const count = counts.get(source);
  if (count === undefined && left_out) return { unknown: `the server tells of ${MOST_SOURCES} sources only` };
  return { count: count ?? 0 };
}
