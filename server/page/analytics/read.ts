// Reads the counts that answer a question: by one property, by another, and by time.
import { call } from '../api/client';
import type { DeadLetterFilterInput } from '../api/schema';
import { iso, parse_duration, server_now } from '../parts/format';
import { SPANS, type By, type Question } from './question';

const ROWS = 12;
const MOST = 1000; // how many values the server returns at most, the most frequent first
const AT_ONCE = 6; // calls that run side by side


export type Counts = Map<string, number>;

export interface Told {
  values: string[]; // what is counted, the most frequent first
  left_out: number; // how many values the server left out
  parts: { at: number; total: number; counts: Counts }[];
  rows: Row[];
  rows_left_out: number; // how many rows are left out
  whole: Counts; // the counts over all rows, including those that are left out
  total: number;
  complete: boolean;
}

export interface Row {
  value: string;
  total: number;
  counts: Counts;
}

async function group(queue: string, by: By, filter: DeadLetterFilterInput, signal?: AbortSignal) {
  const told = await call('groupDeadLetters', { path: { queue }, query: { ...filter, by, max: MOST }, signal });
  const groups: Counts = new Map((told.groups ?? []).map((one) => [one.value ?? '', one.count]));
  return { groups, left_out: told.leftOut, total: told.total, complete: told.complete };
}

// Works on a few items at a time. The results are in the order of `items`.
async function map_in_turns<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const made: U[] = Array(items.length);
  let next = 0;
  const one_after_another = async () => {
    for (let at = next++; at < items.length; at = next++) made[at] = await work(items[at]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one_after_another));
  return made;
}

const with_value = (filter: DeadLetterFilterInput, by: By, value: string) =>
  ({ ...filter, [by]: value }) as DeadLetterFilterInput;

// Reads how many letters of each row have each value. It asks by row or by value, whichever there are fewer of.
async function read_rows(
  { queue, of, against }: Question,
  filter: DeadLetterFilterInput,
  rows: [string, number][],
  values: string[],
  signal?: AbortSignal,
): Promise<Row[]> {
  if (rows.length <= values.length)
    return map_in_turns(rows, async ([value, total]) => ({
      value,
      total,
      counts: (await group(queue, of, with_value(filter, against, value), signal)).groups,
    }));
  const columns = await map_in_turns(values, (one) => group(queue, against, with_value(filter, of, one), signal));
  return rows.map(([value, total]) => ({
    value,
    total,
    counts: new Map(values.map((one, i) => [one, columns[i]!.groups.get(value) ?? 0])),
  }));
}

// Makes one call for each axis, one for each part of the time, and one for each row or value of the table.
export async function read(question: Question, signal?: AbortSignal): Promise<Told> {
  const { queue, of, against, span, history, all } = question;
  const length = parse_duration(span)! * 1000;
  const parts = SPANS[span]![1];
  const end = server_now();
  const filter: DeadLetterFilterInput = { diedFrom: iso(end - length), ...(history ? { history } : {}) };
  const [whole, sides] = await Promise.all([group(queue, of, filter, signal), group(queue, against, filter, signal)]);
  const times = Array.from({ length: parts }, (_, i) => end - length + (i * length) / parts);
  const series = await map_in_turns(times, async (at) => {
    const time = { ...filter, diedFrom: iso(at), diedBefore: iso(at + length / parts) };
    const { groups, total } = await group(queue, of, time, signal);
    return { at, total, counts: groups };
  });
  const values = [...whole.groups.keys()];
  const rows = [...sides.groups].slice(0, all ? MOST : ROWS);
  return {
    values,
    left_out: whole.left_out,
    parts: series,
    rows: await read_rows(question, filter, rows, values, signal),
    rows_left_out: sides.groups.size - rows.length + sides.left_out,
    whole: whole.groups,
    total: whole.total,
    complete: whole.complete && sides.complete,
  };
}
