// QueuesProvider reads all queues that the session may see, once for the whole page.
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { call, type ApiError } from '../api/client';
import type { QueueInfo } from '../api/schema';
import { knows_all, session } from '../api/session';
import { use_place } from '../router';
import { forget_deleted } from './by_queue';
import { note_totals } from './queue_rates';
import { use_api, type Fresh } from '../parts/use_api';

const MANY_QUEUES = 500; // if there are more, the list is read less often

const Queues = createContext<Fresh<QueueInfo[]> | null>(null);

export function QueuesProvider({ children }: { children: ComponentChildren }) {
  const { path } = use_place();
  const [is_many, set_many] = useState(false);
  const queues = use_api(
    'queues',
    async (signal) => {
      const { queues: all = [] } = await call('listQueues', { signal });
      forget_deleted(all);
      note_totals(all);
      set_many(all.length > MANY_QUEUES);
      return all;
    },
    { every: is_many ? 15000 : path === '/' ? 2000 : 3000 },
  );
  return <Queues.Provider value={queues}>{children}</Queues.Provider>;
}

export function use_queues(): Fresh<QueueInfo[]> {
  const queues = useContext(Queues);
  if (!queues) throw new Error('use_queues() is for what is inside of a QueuesProvider');
  return queues;
}

// Returns the text that is shown if there is no queue.
export const no_queue_text = (): string =>
  knows_all(session.get()) ? 'There is no queue yet.' : 'There is no queue that this token may see.';

export function use_queue_names(): { names: string[]; error: ApiError | undefined; is_known: boolean } {
  const { data, error } = use_queues();
  return { names: (data ?? []).map((one) => one.name ?? ''), error, is_known: data !== undefined };
}
