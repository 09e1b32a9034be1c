// Numbers and times, for people.

export const count_text = (n: number): string => n.toLocaleString('en-US');

// Makes a short text such as "12,345" or "1.2 M", for places with little room.
export function short_count(n: number): string {
  if (n < 100_000) return count_text(n);
  if (n < 1_000_000) return `${Math.round(n / 1000)} k`;
  return `${(n / 1e6).toFixed(n < 1e7 ? 2 : 1)} M`;
}

export const plural = (n: number, one: string, many = one + 's'): string => `${count_text(n)} ${n === 1 ? one : many}`;
export const letters_text = (n: number): string => plural(n, 'dead letter');

export function bytes_text(n: number): string {
  if (n < 1024) return `${n} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let at = -1;
  while (n >= 1024 && at < units.length - 1) {
    n /= 1024;
    ++at;
  }
  return `${n >= 100 ? n.toFixed(0) : n.toFixed(1)} ${units[at]}`;
}

// Returns whether a rate is shown as more than zero.
export const is_moving = (rate: number): boolean => rate * 60 >= 0.05;

export function rate_text(n: number): string {
  if (!is_moving(n)) return '0/s';
  if (n < 0.1) return `${(n * 60).toFixed(n * 60 < 1 ? 1 : 0)}/min`;
  return `${n < 10 ? n.toFixed(1) : count_text(Math.round(n))}/s`;
}

export function duration_text(seconds: number): string {
  if (seconds < 0) return '0 s';
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 60) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  if (hours < 48) return hours < 10 ? `${Number(hours.toFixed(1))} h` : `${Math.round(hours)} h`;
  return `${Math.round(hours / 24)} d`;
}

// Shows a duration to the millisecond, as long as that says something.
export const exact_duration_text = (seconds: number): string =>
  seconds < 1 || seconds >= 60 ? duration_text(seconds) : `${Number(seconds.toFixed(3))} s`;

// Turns seconds, as the API returns them, into a text that the API takes too, such as "30s".
export function duration_input(seconds: number | undefined): string {
  if (seconds === undefined) return '';
  for (const [size, unit] of [
    [86400, 'd'],
    [3600, 'h'],
    [60, 'm'],
  ] as const) {
    if (seconds >= size && seconds % size === 0) return `${seconds / size}${unit}`;
  }
  return seconds < 1 && seconds > 0 ? `${Math.round(seconds * 1000)}ms` : `${seconds}s`;
}

export function parse_duration(text: string): number | null {
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 };
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed);
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) return null;
  let seconds = 0;
  for (const [, number, , unit] of trimmed.matchAll(/(\d+(\.\d+)?)(ms|s|m|h|d)/g))
    seconds += Number(number) * units[unit];
  return seconds;
}

// Reads a time as somebody types it. A time without a zone is in UTC.
export function parse_time(text: string): string | null {
  const parts = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?\s*(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  const at = parts && Date.parse(`${parts[1]}T${parts[2] ?? '00:00'}${parts[3] ?? 'Z'}`);
  return at === null || Number.isNaN(at) ? null : new Date(at).toISOString();
}

// `ahead_ms` says how far the server's clock is ahead of the browser's, so that ages are right.
let ahead_ms = 0;
export function set_server_time(now: string): void {
  ahead_ms = Date.parse(now) - Date.now();
}
export const server_now = (): number => Date.now() + ahead_ms;

export const age_seconds = (time: string): number => (server_now() - Date.parse(time)) / 1000;
export function age_text(time: string | undefined): string {
  if (!time) return '—';
  const seconds = age_seconds(time);
  return seconds < 1 ? 'just now' : `${duration_text(seconds)} ago`;
}
export const iso = (ms: number): string => new Date(ms).toISOString();

// Formats a time like "2026-03-01 09:30:00 UTC".
export const time_text = (time: string | undefined): string =>
  time ? `${time.slice(0, 10)} ${time.slice(11, 19)} UTC` : '—';

const WORDS: Record<string, string> = {
  maxDeliveries: 'deliveries used up',
  rejected: 'rejected',
  expired: 'expired',
  retryBudget: 'retried for too long',
  overflow: 'queue was full',
  leaseExpired: 'lease ran out',
  released: 'released',
  diedElsewhere: 'died in another queue',
  canaryFailed: 'canary failed',
  acked: 'acknowledged',
  deadLettered: 'dead-lettered',
  replayLimit: 'over the replay limit',
  noQueue: 'their queue is deleted',
  depth_high: 'depth',
  depth_critical: 'depth',
  started: 'started',
};
export const word_of = (name: string | undefined): string => (name ? (WORDS[name] ?? name) : '—');
