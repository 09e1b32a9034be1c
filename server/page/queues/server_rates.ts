// The server tells how fast messages come and go, and the page notes when the last one did.
//
// The server's rates are averages that decay: each message adds one a minute to the rate of the last minute, and a
// minute later 1/e of that is left. A smaller rate than that means that a whole minute was empty. After a flood, much
// is left for longer although no message has come since. So the page also remembers since when a total has not changed.
import type { QueueInfo, Rate } from '../api/schema';
import { duration_text, rate_text } from '../parts/format';
import { ByQueue, type QueueKey } from './by_queue';

const COUNTED = ['sent', 'acked', 'deadLettered'] as const;
export type Counter = (typeof COUNTED)[number];

const MINUTE_S = 60;
const FIVE_S = 300;

interface Standing {
  total: number;
  since: number; // when the page first saw this total
  until: number; // when the page last saw this total
  is_exact: boolean; // whether the page saw the total change
}

const seen = new ByQueue<Record<Counter, Standing>>();

// `at` is in milliseconds.
export function note_standing(queue: QueueKey & Pick<QueueInfo, 'totals'>, at: number): void {
  const before = seen.get(queue);
  const now = (of: Counter): Standing => {
    const [total, last] = [queue.totals[of], before?.[of]];
    return last?.total === total ? { ...last, until: at } : { total, since: at, until: at, is_exact: last !== undefined };
  };
  seen.set(queue, { sent: now('sent'), acked: now('acked'), deadLettered: now('deadLettered') });
}

const still_s = ({ since, until }: Standing) => (until - since) / 1000;

// Returns whether no message has come for `seconds`, the time that the average covers.
function is_still(average: number, seconds: number, standing: Standing | undefined): boolean {
  return average * seconds < 1 / Math.E || (standing !== undefined && still_s(standing) >= seconds);
}

// Returns the rate of the last minute, in messages a second. It is 0 once nothing has come for a minute.
export function rate_now(rate: Rate | undefined, queue: QueueKey, of: Counter): number {
  const average = rate?.oneMinute ?? 0;
  return is_still(average, MINUTE_S, seen.get(queue)?.[of]) ? 0 : average;
}

// Describes the rates in words, to be shown beside the total.
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
