// How fast messages come and go, as the server tells it, and when the last one did.
//
// Its rates are averages that forget: each message adds one a minute to that of the last minute, of which 1/e is left a minute
// later. So less than that says that a whole minute was empty; but after a flood much is left for longer, with no message since.
// Therefore the page also remembers since when a total stands still.
import type { QueueInfo, Rate } from '../api/schema';
import { duration_text, rate_text } from '../parts/format';
import { ByQueue, type QueueKey } from './by_queue';

const COUNTED = ['sent', 'acked', 'deadLettered'] as const;
export type Counter = (typeof COUNTED)[number];

const MINUTE_S = 60;
const FIVE_S = 300;

interface Standing {
  total: number;
  since: number; // when it was seen so first
  until: number; // when it was seen so last
  is_exact: boolean; // it was seen to change
}

const seen = new ByQueue<Record<Counter, Standing>>();

// `at`: in milliseconds.
export function note_standing(queue: QueueKey & Pick<QueueInfo, 'totals'>, at: number): void {
  const before = seen.get(queue);
  const now = (of: Counter): Standing => {
    const [total, last] = [queue.totals[of], before?.[of]];
    return last?.total === total ? { ...last, until: at } : { total, since: at, until: at, is_exact: last !== undefined };
  };
  seen.set(queue, { sent: now('sent'), acked: now('acked'), deadLettered: now('deadLettered') });
}

const still_s = ({ since, until }: Standing) => (until - since) / 1000;

// Whether no message has come for `seconds`, which are those of the average.
function is_still(average: number, seconds: number, standing: Standing | undefined): boolean {
  return average * seconds < 1 / Math.E || (standing !== undefined && still_s(standing) >= seconds);
}

// Of the last minute, a second: 0 once nothing has come for a minute.
export function rate_now(rate: Rate | undefined, queue: QueueKey, of: Counter): number {
  const average = rate?.oneMinute ?? 0;
  return is_still(average, MINUTE_S, seen.get(queue)?.[of]) ? 0 : average;
}

// In words, beside the total.
export function rates_text(rate: Rate, queue: QueueKey & Pick<QueueInfo, 'totals'>, of: Counter): string {
  const now = rate_now(rate, queue, of);
  const standing = seen.get(queue)?.[of];
  const lately = is_still(rate.fiveMinutes, FIVE_S, standing) ? '' : `${rate_text(rate.fiveMinutes)} over five minutes`;
  if (now > 0) return [rate_text(now), lately].filter(Boolean).join('; ');
  if (queue.totals[of] === 0) return 'none yet';
  const still = standing ? still_s(standing) : 0;
  const last = standing?.is_exact
    ? `the last one ${duration_text(still)} ago`
    : `none for ${duration_text(Math.max(still, lately ? MINUTE_S : FIVE_S))}`;
  return [last, lately].filter(Boolean).join('; ');
}
