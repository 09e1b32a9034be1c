// The rates say how fast messages come and go in each queue, by the totals that the page has seen since it was opened.
import type { QueueInfo } from '../api/schema';
import { ByQueue } from './by_queue';
import { note_standing } from './server_rates';

const SAMPLES = 40;

interface Sample {
  at: number;
  sent: number;
  acked: number;
  dead: number; // dead letters in the queue
}

// Past totals of each queue. Their differences are the rates.
const samples = new ByQueue<Sample[]>();

export function note_totals(queues: QueueInfo[]): void {
  const at = Date.now();
  for (const queue of queues) {
    const { totals, counts } = queue;
    note_standing(queue, at);
    const list = samples.get(queue) ?? [];
    const last = list.at(-1);
    if (last && at - last.at < 900) continue;
    list.push({ at, sent: totals.sent, acked: totals.acked, dead: counts.dead });
    samples.set(queue, list.slice(-SAMPLES - 1));
  }
}

export function rates(queue: QueueInfo, of: 'sent' | 'acked'): number[] {
  const list = samples.get(queue) ?? [];
  return list.slice(1).map((now, i) => Math.max(0, now[of] - list[i][of]) / ((now.at - list[i].at) / 1000));
}

// Returns the rate between the last two samples. It is for queues whose own rates were not read from the server.
export const last_rate = (queue: QueueInfo, of: 'sent' | 'acked') => rates(queue, of).at(-1);

// Returns how many more dead letters the queue has now than in the oldest sample that is kept.
export const dead_since = (queue: QueueInfo): number =>
  queue.counts.dead - (samples.get(queue)?.[0]?.dead ?? queue.counts.dead);
