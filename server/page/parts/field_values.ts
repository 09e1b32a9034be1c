// The fields of a form: what each is called, what it takes, and its value as a text.
import type { Choice } from './controls';
import { duration_input, parse_duration } from './format';

export type FieldKind = 'number' | 'whole' | 'duration' | 'text' | 'flag' | 'choice' | 'durations' | 'list' | 'pairs';

export interface FieldSpec {
  name: string; // "retry.base": a member of a member
  label: string;
  kind: FieldKind;
  hint?: string;
  choices?: readonly Choice[];
  fallback?: unknown; // what holds while nothing is said
  least?: number; // of numbers
  most?: number;
  optional?: boolean; // an empty text turns it off: it goes as null
  pair?: readonly [string, string]; // the members of each pair
  placeholder?: string;
}

export type Texts = Record<string, string>;

export function text_of(field: FieldSpec, value: unknown): string {
  if (value === null && field.optional) return '';
  if (value === undefined || value === null)
    return field.fallback === undefined ? '' : text_of({ ...field, fallback: undefined }, field.fallback);
  if (field.kind === 'duration') return duration_input(value as number);
  if (field.kind === 'durations') return (value as number[]).map(duration_input).join(', ');
  if (field.kind === 'list') return (value as string[]).join(', ');
  if (field.kind === 'pairs') {
    const [first, second] = field.pair!;
    return (value as Record<string, string>[]).map((one) => `${one[first] ?? ''}=${one[second] ?? ''}`).join(', ');
  }
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

// Why it is no value; nothing for an empty one, which says nothing.
export function wrong_of(field: FieldSpec, text: string): string | undefined {
  if (text === '') return undefined;
  if (field.kind === 'number' || field.kind === 'whole') return wrong_number(field, text);
  if (field.kind === 'duration' && parse_duration(text) === null) return 'This is no duration, such as 30s or 1h.';
  if (field.kind === 'durations' && parts_of(text).some((one) => parse_duration(one) === null))
    return 'One of them is no duration.';
  if (field.kind === 'pairs' && parts_of(text).some((one) => !/^[^=]+=/.test(one)))
    return `It has to be ${field.pair!.join('=')}.`;
  return undefined;
}

// The first that is wrong, in a sentence.
export function wrong_in(fields: readonly FieldSpec[], texts: Texts): string | undefined {
  const wrong = fields.find((one) => wrong_of(one, texts[one.name] ?? ''));
  return wrong && `${wrong.label}: ${wrong_of(wrong, texts[wrong.name]!)}`;
}

export function value_of(field: FieldSpec, text: string): unknown {
  if (text === '' && field.optional) return null;
  if (field.kind === 'number' || field.kind === 'whole') return Number(text || 0);
  if (field.kind === 'duration') return parse_duration(text) ?? 0;
  if (field.kind === 'durations') return parts_of(text).map((one) => parse_duration(one) ?? 0);
  if (field.kind === 'list') return parts_of(text);
  if (field.kind === 'pairs')
    return parts_of(text).map((one) => ({
      [field.pair![0]]: one.slice(0, one.indexOf('=')).trim(),
      [field.pair![1]]: one.slice(one.indexOf('=') + 1).trim(),
    }));
  return field.kind === 'flag' ? text === 'true' : text;
}

// Those that say something, by name.
export function values_of(fields: readonly FieldSpec[], texts: Texts): Record<string, unknown> {
  const said = fields.filter((one) => texts[one.name]);
  return Object.fromEntries(said.map((one) => [one.name, value_of(one, texts[one.name]!)]));
}
