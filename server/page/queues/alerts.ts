// The alerts of queues, in words, and whether a queue is slowed down.
import type { QueueInfo } from '../api/schema';
import { count_text, duration_text, letters_text, server_now, word_of } from '../parts/format';

function alert_text({ rule = '', value }: { rule?: string; value: number }): string {
  if (rule.startsWith('depth')) return letters_text(value);
  if (rule === 'arrivals') return `${count_text(value)} die in a minute`;
  if (rule === 'oldest') return `the oldest is ${duration_text(value)} old`;
  if (rule === 'unassigned') return `unassigned for ${duration_text(value)}`;
  return `${word_of(rule)}: ${count_text(value)}`;
}

interface Holding {
  queue: string;
  text: string;
  critical: boolean;
  since?: string;
}

// Only the worst depth alert of a queue is shown, since it implies the others.
export function holding(queues: QueueInfo[]): Holding[] {
  const all: Holding[] = [];
  for (const queue of queues) {
    const alerts = [...(queue.alerts ?? [])].sort((a, b) => Number(b.critical) - Number(a.critical));
    let depth = false;
    for (const alert of alerts) {
      if (alert.rule?.startsWith('depth') && depth) continue;
      depth ||= alert.rule?.startsWith('depth') === true;
      const text = alert_text(alert) + (alert.clearsAt ? ', about to clear' : '');
      all.push({ queue: queue.name ?? '', text, critical: alert.critical, since: alert.since });
    }
  }
  return all.sort((a, b) => Number(b.critical) - Number(a.critical) || (b.since ?? '').localeCompare(a.since ?? ''));
}

export const is_braked = (queue: QueueInfo): boolean =>
  queue.brakedUntil !== undefined && Date.parse(queue.brakedUntil) > server_now();
