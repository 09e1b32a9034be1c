// DeadRates say how fast dead letters come into queues and leave them. The server's rates of sends and acks do not.
import type { Operations } from '../api/schema';
import { ByQueue, type QueueKey } from './by_queue';

type Told = Operations['deadLetterStatistics']['answer'];

interface Look {
  at: number; // by the server's clock
  dead: number; // dead letters in the queue
  came: number; // letters that came since the first look, as far as that is known
  hours: Map<string, number>; // how many letters came in each hour
}

export interface DeadRates {
  died?: number; // letters a second that died into the queue or were put there
  left?: number; // letters a second that left; not known before the second look
  lines?: { died: number[]; left: number[] }; // both rates from look to look
}

const WINDOW_MS = 60_000;

const looks = new ByQueue<Look[]>(); // the looks of the last minute

function came_since(last: Look, hours: Map<string, number>): number {
  return [...hours].reduce((sum, [hour, total]) => sum + Math.max(0, total - (last.hours.get(hour) ?? 0)), 0);
}

function rates_between(first: Look, now: Look): { died: number; left: number } {
  const seconds = Math.max(now.at - first.at, 1) / 1000;
  const came = now.came - first.came;
  return { died: came / seconds, left: Math.max(0, came - (now.dead - first.dead)) / seconds };
}

// `told` has the current hour and the one before.
export function note_dead(queue: QueueKey, told: Told): DeadRates {
  const hours = new Map((told.hours ?? []).map((one) => [one.from ?? '', one.total]));
  const list = looks.get(queue) ?? [];
  const last = list.at(-1);
  // A letter that was parked or imported counts in no hour, but it is in the queue.
  const came = last ? last.came + Math.max(came_since(last, hours), told.dead - last.dead) : 0;
  const now: Look = { at: Date.parse(told.at ?? ''), dead: told.dead, came, hours };
  const kept = [...list.filter((one) => now.at - one.at <= WINDOW_MS), now];
  looks.set(queue, kept);
  if (kept.length === 1) return { died: told.arrivalsLastMinute / 60 };
  const steps = kept.slice(1).map((one, i) => rates_between(kept[i]!, one));
  const lines = { died: steps.map((one) => one.died), left: steps.map((one) => one.left) };
  return { ...rates_between(kept[0]!, now), lines };
}
