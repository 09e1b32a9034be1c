// A filter of dead letters, as the query of an address has it.
import type { DeadLetterFilterInput } from '../api/schema';
import { iso, parse_duration, parse_time, server_now } from '../parts/format';

const TEXTS = [
  'category',
  'code',
  'source',
  'consumerVersion',
  'assignee',
  'fingerprint',
  'reason',
  'correlationId',
  'correlationIdBase64',
  'workflowVersion',
  'workflowVersionBase64',
  'body',
] as const;
const ENUMS = ['cause', 'status'] as const;
export const STATUSES = ['new', 'investigating', 'fixed', 'replayed', 'abandoned'] as const;
export const CAUSES = ['maxDeliveries', 'rejected', 'expired', 'retryBudget', 'overflow', 'sent'] as const;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const one_of = (values: readonly string[]) => (text: string) => values.includes(text);
const all_of = (is_one: (text: string) => boolean) => (text: string) => text.split(',').every((one) => is_one(one.trim()));
const is_place = (text: string) => /^\d{1,20}$/.test(text.trim());
const is_whole = (text: string) => /^\d{1,15}$/.test(text.trim());

// RULES are for members of an address that do not take every text. All others take any text.
const RULES: Record<string, [what: string, is_right: (text: string) => boolean, can_be: string]> = {
  status: ['status', one_of([...STATUSES, 'any']), STATUSES.join(', ')],
  cause: ['cause', one_of([...CAUSES, 'any']), CAUSES.join(', ')],
  newer: ['time since the death', (text) => parse_duration(text) !== null, 'a duration such as 30s, 1h or 7d'],
  diedFrom: ['time “died from”', (text) => parse_time(text) !== null, 'a time such as 2026-03-01T09:30:00Z'],
  diedBefore: ['time “died before”', (text) => parse_time(text) !== null, 'a time such as 2026-03-01T09:30:00Z'],
  minReplays: ['least count of replays', is_whole, 'a whole number'],
  seqs: ['numbers', all_of(is_place), 'whole numbers with commas between them'],
  ids: ['ids', all_of((one) => ID.test(one)), 'ids of dead letters with commas between them'],
};

// OTHERS are the other members that an address of a page with a filter may have.
const OTHERS = ['view', 'sort', 'queue'];
const MEMBERS: readonly string[] = [...TEXTS, ...Object.keys(RULES), 'attributes', 'history', ...OTHERS];

// Says in a sentence which member the server would not take. A misspelt member would select all dead letters if it were
// ignored.
export function wrong_in_filter(query: URLSearchParams): string | undefined {
  for (const name of query.keys()) {
    if (!MEMBERS.includes(name)) return `The filter has “${name}”, but dead letters cannot be filtered by that.`;
  }
  for (const [name, [what, is_right, can_be]] of Object.entries(RULES)) {
    const text = query.get(name);
    if (text && !is_right(text)) return `The filter has “${text}” for the ${what}, which has to be ${can_be}.`;
  }
  return undefined;
}

const whole = (text: string): number | string => (is_whole(text) ? Number(text) : text);

// Reads one attribute from each line, such as "customer=4711".
const attributes_of = (text: string) =>
  text.split('\n').map((line) => {
    const at = line.indexOf('=');
    return at < 0 ? { name: line } : { name: line.slice(0, at), value: line.slice(at + 1) };
  });

const since = (newer: string, now: number): string => {
  const seconds = parse_duration(newer);
  return seconds === null ? newer : iso(now - seconds * 1000);
};

// Both bounds hold, so the later time is the narrower bound. A text that is not a time goes to the server, which
// refuses it.
const later_of = (one: unknown, other: string) =>
  typeof one === 'string' && !(Date.parse(one) < Date.parse(other)) ? one : other;

// `now` is the time from which ages count. A text that is not a valid value goes to the server unchanged, which refuses
// it. Leaving it out would select all dead letters.
export function filter_of(query: URLSearchParams, now = server_now()): DeadLetterFilterInput {
  const filter: Record<string, unknown> = {};
  for (const name of [...TEXTS, ...ENUMS]) if (query.has(name)) filter[name] = query.get(name);
  for (const name of ['diedFrom', 'diedBefore']) if (query.get(name)) filter[name] = parse_time(query.get(name)!) ?? query.get(name);
  if (query.get('newer')) filter.diedFrom = later_of(filter.diedFrom, since(query.get('newer')!, now));
  if (query.get('minReplays')) filter.minReplays = whole(query.get('minReplays')!);
  if (query.get('attributes')) filter.attributes = attributes_of(query.get('attributes')!);
  if (query.get('history') === 'true') filter.history = true;
  if (query.get('seqs')) filter.seqs = query.get('seqs')!.split(',').map((one) => one.trim());
  if (query.get('ids')) filter.ids = query.get('ids')!.split(',');
  return filter as DeadLetterFilterInput;
}

// Makes the query of an address from a filter. It leaves out `history`, which the view decides.
export function query_of(filter: DeadLetterFilterInput): URLSearchParams {
  const query = new URLSearchParams();
  const { attributes, history, ...others } = filter;
  for (const [name, value] of Object.entries(others)) if (value !== undefined) query.set(name, String(value ?? ''));
  const lines = attributes?.map(({ name = '', value }) => (value === undefined ? name : `${name}=${value}`));
  if (lines) query.set('attributes', lines.join('\n'));
  return query;
}

// Returns what a filter form changes in the query. An empty member selects the letters that have no such value. It
// stays if its field is empty too, since more letters would be selected without it.
export function changes_by_form(
  query: URLSearchParams,
  values: Record<string, string>,
): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === '' && query.get(name) !== '' ? null : value]),
  );
}

// Limits a filter to the letters that a person was shown the number of. Letters that die later are not meant.
export function until_now(filter: DeadLetterFilterInput): DeadLetterFilterInput {
  const now = server_now();
  const is_past = filter.diedBefore !== undefined && !(Date.parse(filter.diedBefore) > now);
  return filter.ids || filter.seqs || is_past ? filter : { ...filter, diedBefore: iso(now) };
}

export const is_empty = (filter: DeadLetterFilterInput): boolean =>
  Object.entries(filter).every(([name, value]) => name === 'history' || value === undefined);
