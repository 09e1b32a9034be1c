// The fields of a form: what each is called, what it takes, and its value as a text.
import type { Choice } from './controls';
import { duration_input, parse_duration, parse_time } from './format';

type FieldKind = 'number' | 'whole' | 'duration' | 'time' | 'text' | 'flag' | 'choice' | 'durations' | 'list' | 'pairs';

export interface FieldSpec {
  name: string; // a name like "retry.base" is that of a member of a member
  label: string;
  kind: FieldKind;
  hint?: string;
  choices?: readonly Choice[];
  fallback?: unknown; // the value that holds if none is given
  least?: number; // the least number that is allowed
  most?: number;
  optional?: boolean; // an empty text turns it off: it goes as null
  pair?: readonly [string, string]; // the members of each pair
  may_be_empty?: boolean; // whether the empty text may be a value of a list
  placeholder?: string;
}

export type Texts = Record<string, string>;

// Lists and pairs have a row for each of their values. Their text is JSON, so that any value comes back unchanged.
export const rows_in = (text: string): string[][] => (text === '' ? [] : (JSON.parse(text) as string[][]));
export const text_of_rows = (rows: readonly string[][]): string => (rows.length === 0 ? '' : JSON.stringify(rows));

export function text_of(field: FieldSpec, value: unknown): string {
  if (value === null && field.optional) return '';
  if (value === undefined || value === null)
    return field.fallback === undefined ? '' : text_of({ ...field, fallback: undefined }, field.fallback);
  if (field.kind === 'duration') return duration_input(value as number);
  if (field.kind === 'durations') return (value as number[]).map(duration_input).join(', ');
  if (field.kind === 'list') return text_of_rows((value as string[]).map((one) => [one]));
  if (field.kind === 'pairs')
    return text_of_rows((value as Record<string, string>[]).map((one) => field.pair!.map((name) => one[name] ?? '')));
  return String(value);
}

const parts_of = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

function wrong_number({ kind, least = 0, most, hint }: FieldSpec, text: string): string | undefined {
  if (kind === 'whole' ? !/^\d{1,15}$/.test(text) : !/^\d+(\.\d+)?$/.test(text))
    return kind === 'whole' ? 'This is not a whole number.' : 'This is not a number.';
  if (Number(text) < least)
    return least === 1 && hint?.startsWith('Empty') ? 'At least 1; empty for none.' : `At least ${least}.`;
  return most !== undefined && Number(text) > most ? `At most ${most}.` : undefined;
}

function wrong_row({ kind, pair, may_be_empty }: FieldSpec, text: string): string | undefined {
  const row = may_be_empty ? -1 : rows_in(text).findIndex(([first]) => first === '');
  return row < 0 ? undefined : `Row ${row + 1} has no ${kind === 'pairs' ? pair![0] : 'value'}.`;
}

// Says why the text is not a value of the field. An empty text is never wrong, since it gives no value.
export function wrong_of(field: FieldSpec, text: string): string | undefined {
  if (text === '') return undefined;
  if (field.kind === 'number' || field.kind === 'whole') return wrong_number(field, text);
  if (field.kind === 'duration' && parse_duration(text) === null) return 'This is not a duration, such as 30s or 1h.';
  if (field.kind === 'time' && parse_time(text) === null) return 'This is not a time, such as 2026-03-01T09:30:00Z.';
  if (field.kind === 'durations' && parts_of(text).some((one) => parse_duration(one) === null))
    return 'One of these is not a duration.';
  return field.kind === 'list' || field.kind === 'pairs' ? wrong_row(field, text) : undefined;
}

// Says in a sentence what is wrong with the first field that has an error.
export function wrong_in(fields: readonly FieldSpec[], texts: Texts): string | undefined {
  const wrong = fields.find((one) => wrong_of(one, texts[one.name] ?? ''));
  return wrong && `${wrong.label}: ${wrong_of(wrong, texts[wrong.name]!)}`;
}

export function value_of(field: FieldSpec, text: string): unknown {
  if (text === '' && field.optional) return null;
  if (field.kind === 'number' || field.kind === 'whole') return Number(text || 0);
  if (field.kind === 'duration') return parse_duration(text) ?? 0;
  if (field.kind === 'time') return parse_time(text);
  if (field.kind === 'durations') return parts_of(text).map((one) => parse_duration(one) ?? 0);
  if (field.kind === 'list') return rows_in(text).map(([one]) => one);
  if (field.kind === 'pairs')
    return rows_in(text).map(([first, second]) => ({ [field.pair![0]]: first, [field.pair![1]]: second }));
  return field.kind === 'flag' ? text === 'true' : text;
}

// Returns the values of the fields that are not empty, by name.
export function values_of(fields: readonly FieldSpec[], texts: Texts): Record<string, unknown> {
  const said = fields.filter((one) => texts[one.name]);
  return Object.fromEntries(said.map((one) => [one.name, value_of(one, texts[one.name]!)]));
}
