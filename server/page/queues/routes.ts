// Routes say which queues dead-letter or park to which others, grouped by where that leads.
import type { QueueInfo } from '../api/schema';

// Dead letters take a Way from one queue to another.
export interface Way {
  from: string;
  to: string;
  parks: boolean; // People park letters there. Otherwise dead letters go there by themselves.
  categories: string[]; // Only these categories go there. If there are none, all that have no other way do.
}

// Counted says how many letters came by a way.
export interface Counted {
  count?: number;
  unknown?: string; // why it is not known
}

function ways_from({ name = '', options }: QueueInfo): Way[] {
  const ways = new Map<string, Way>();
  for (const { category = '', queue = '' } of options?.deadLetterRoutes ?? []) {
    const way = ways.get(queue) ?? { from: name, to: queue, parks: false, categories: [] };
    way.categories.push(category);
    ways.set(queue, way);
  }
  const rest = options?.deadLetterQueue;
  if (rest) ways.set(rest, { from: name, to: rest, parks: false, categories: [] });
  const all = [...ways.values()];
  if (options?.parkingQueue) all.push({ from: name, to: options.parkingQueue, parks: true, categories: [] });
  return all;
}

export const ways_of = (queues: QueueInfo[]): Way[] => queues.flatMap(ways_from);

// Returns the queues that others dead-letter to or park in, and those that have dead letters.
export function dead_letter_queues(queues: QueueInfo[]): QueueInfo[] {
  const targets = new Set(ways_of(queues).map((way) => way.to));
  return queues.filter((queue) => targets.has(queue.name ?? '') || queue.counts.dead > 0);
}

export interface Target {
  name: string;
  queue?: QueueInfo; // none: the token is not told of it
  ways: [Way, Counted][]; // the way by which most letters came is the first
}

const by_name = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

// Returns the targets, those with the most dead letters first.
export function targets_of(queues: QueueInfo[], counted: (way: Way) => Counted): Target[] {
  const known = new Map(queues.map((queue) => [queue.name ?? '', queue]));
  const targets = new Map<string, Target>();
  for (const way of ways_of(queues)) {
    const target = targets.get(way.to) ?? { name: way.to, queue: known.get(way.to), ways: [] };
    target.ways.push([way, counted(way)]);
    targets.set(way.to, target);
  }
  for (const { ways } of targets.values())
    ways.sort(([a, had], [b, has]) => (has.count ?? 0) - (had.count ?? 0) || by_name(a.from, b.from));
  const dead = (target: Target) => target.queue?.counts.dead ?? 0;
  return [...targets.values()].sort((a, b) => dead(b) - dead(a) || by_name(a.name, b.name));
}

// Adds up several routes. The sum is unknown if one of them is unknown.
export function sum_of(ways: readonly [Way, Counted][]): Counted {
  const unknown = ways.find(([, { unknown }]) => unknown !== undefined)?.[1];
  return unknown ?? { count: ways.reduce((sum, [, { count = 0 }]) => sum + count, 0) };
}
