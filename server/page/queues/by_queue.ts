// A ByQueue is what the page remembers of queues while it is open. A queue that was deleted and created again under the
// same name counts as another queue, of which nothing is remembered.
import type { QueueInfo } from '../api/schema';

export type QueueKey = Pick<QueueInfo, 'id' | 'name'>;

const key_of = ({ id, name }: QueueKey) => `${id} ${name}`;

const all = new Set<Map<string, unknown>>();

export class ByQueue<T> {
  private readonly kept = new Map<string, T>();
  constructor() {
    all.add(this.kept);
  }
  get(queue: QueueKey): T | undefined {
    return this.kept.get(key_of(queue));
  }
  set(queue: QueueKey, value: T): void {
    this.kept.set(key_of(queue), value);
  }
}

// Forgets what is remembered of queues that are not in `queues`, which has to be the list of all queues.
export function forget_deleted(queues: readonly QueueKey[]): void {
  const keys = new Set(queues.map(key_of));
  for (const kept of all) for (const key of kept.keys()) if (!keys.has(key)) kept.delete(key);
}
