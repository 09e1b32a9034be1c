// These functions choose which values of an answer have a column or a row of their own, and add up all others.
import { OTHERS } from './question';
import type { Counts, Row, Told } from './read';

const COLUMNS = 8;

// Returns the columns: the most frequent values, and one for all others if any value is left out.
export function columns_of({ values, left_out }: Told, all: boolean): string[] {
  const shown = !all && values.length > COLUMNS ? values.slice(0, COLUMNS - 1) : values;
  return shown.length < values.length || left_out > 0 ? [...shown, OTHERS] : shown;
}

// The others are what no column has. Letters that die between two calls may be in only one of the counts.
export function count_of(counts: Counts, total: number, value: string, columns: string[]): number {
  if (value !== OTHERS) return counts.get(value) ?? 0;
  const counted = columns.reduce((sum, one) => sum + (one === OTHERS ? 0 : (counts.get(one) ?? 0)), 0);
  return Math.max(0, total - counted);
}

// Makes one row for all values that have none: what is left of the whole.
export function other_row({ rows, rows_left_out, whole, total }: Told): Row | null {
  if (rows_left_out === 0) return null;
  const rest = new Map(whole);
  for (const row of rows)
    for (const [value, count] of row.counts) rest.set(value, Math.max(0, (rest.get(value) ?? 0) - count));
  const counted = rows.reduce((sum, row) => sum + row.total, 0);
  return { value: OTHERS, total: Math.max(0, total - counted), counts: rest };
}
