// The page notes which letters the redrives of this tab take. The server does not tell that of a task.
import type { TaskStatus } from '../api/schema';
import { server_now } from '../parts/format';
import { keep_in_tab, kept_in_tab } from '../parts/tab_store';

interface Started {
  query: string; // the filter, as an address has it
  edited: boolean;
}

type Kept = Started & { from: number; at: number }; // the task started between these times

const NEAR_MS = 60_000; // how far the page's idea of the server's clock may be off
const name_of = (task: number) => `redrive ${task}`;

// `tried_at` is when the redrive was first asked for, by the clock of the browser. It may have started then, or with a
// later try.
export function note_started(task: number, started: Started, tried_at: number): void {
  const at = server_now();
  keep_in_tab<Kept>(name_of(task), { ...started, from: at - Math.max(0, Date.now() - tried_at), at });
}

// Undefined if the task was started elsewhere. The times have to fit, since a server that was set up anew reuses the
// numbers of tasks.
export function started_here({ task, startedAt = '' }: TaskStatus): Started | undefined {
  const kept = kept_in_tab<Kept>(name_of(task));
  const started = Date.parse(startedAt);
  return kept && started > kept.from - NEAR_MS && started < kept.at + NEAR_MS ? kept : undefined;
}
