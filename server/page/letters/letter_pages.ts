// letter_pages() reads a queue's dead letters by time of death, from either end or from a time between.
import { call } from '../api/client';
import type { DeadLetter, DeadLetterFilterInput } from '../api/schema';
import { iso, set_server_time } from '../parts/format';
import type { Between, Source } from './pager';
import type { Read } from './run';

const GUESSES = 30; // the most guesses for one time; the best of them is used
const CLOSE = 100; // how many letters a guess may be off

const died_ms = (letter: DeadLetter) => Date.parse(letter.record?.diedAt ?? '');

// Live letters come before history in both orders, so only a list of one kind can be read from its end.
const is_of_one_kind = (filter: DeadLetterFilterInput) => !filter.history || filter.status === 'replayed';

export function letter_pages(queue: string, filter: DeadLetterFilterInput, oldest_first: boolean): Source<DeadLetter> {
  const read = (of: DeadLetterFilterInput, newestFirst: boolean): Read<DeadLetter> => {
    return async (start, max, signal) => {
      const query = { ...of, max, newestFirst, ...(start ? { start } : {}) };
      const page = await call('listDeadLetters', { path: { queue }, query, signal });
      if (page.time) set_server_time(page.time);
      return { items: page.items ?? [], next: page.next };
    };
  };
  const count_before = async (ms: number, signal: AbortSignal): Promise<number> => {
    const query = { ...filter, diedBefore: iso(ms), by: 'status', max: 1 } as const;
    return (await call('groupDeadLetters', { path: { queue }, query, signal })).total;
  };
  const find = async (
    index: number,
    length: number,
    ends: [DeadLetter, DeadLetter],
    signal: AbortSignal,
  ): Promise<Between<DeadLetter>> => {
    const older = oldest_first ? index : length - index; // how many letters should be older than the time
    const times = ends.map(died_ms).sort((a, b) => a - b) as [number, number];
    const { ms, count } = await time_after(older, length, times, (at) => count_before(at, signal));
    const before = read({ ...filter, diedBefore: iso(ms) }, true);
    const from = read({ ...filter, diedFrom: iso(ms) }, false);
    return oldest_first
      ? { index: count, after: from, before }
      : { index: length - count, after: before, before: from };
  };
  const forwards = read(filter, !oldest_first);
  const key = (letter: DeadLetter) => letter.seq;
  return is_of_one_kind(filter) ? { key, forwards, backwards: read(filter, oldest_first), find } : { key, forwards };
}

// Finds a time before which about `older` of the `length` letters died. All of them died between `first` and `last`.
// Every other guess assumes that they died evenly; the guesses between halve the range, since that is seldom so.
export async function time_after(
  older: number,
  length: number,
  [first, last]: [number, number],
  count_before: (ms: number) => Promise<number>,
): Promise<{ ms: number; count: number }> {
  let low = { ms: first, count: 0 };
  let high = { ms: last + 1, count: length };
  let best = low;
  for (let i = 0; i < GUESSES && high.ms - low.ms > 1 && Math.abs(best.count - older) > CLOSE; ++i) {
    const share = i % 2 === 0 ? (older - low.count) / Math.max(1, high.count - low.count) : 0.5;
    const guess = low.ms + Math.round((high.ms - low.ms) * share);
    const ms = Math.min(Math.max(guess, low.ms + 1), high.ms - 1);
    const found = { ms, count: await count_before(ms) };
    if (found.count <= older) low = found;
    else high = found;
    if (Math.abs(found.count - older) < Math.abs(best.count - older)) best = found;
  }
  return best;
}
