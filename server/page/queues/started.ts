// What the redrives that were begun in this tab take: the server does not tell it of a task.
import type { TaskStatus } from '../api/schema';
import { server_now } from '../parts/format';
import { keep_in_tab, kept_in_tab } from '../parts/tab_store';

interface Started {
  query: string; // the filter, as an address has it
  edited: boolean;
}

type Kept = Started & { at: number };

const NEAR_MS = 60_000; // between the clock of the server as this page knows it and when the task says that it began
const name_of = (task: number) => `redrive ${task}`;

export function note_started(task: number, started: Started): void {
  keep_in_tab<Kept>(name_of(task), { ...started, at: server_now() });
}

// Undefined: it was begun elsewhere. A server that was set up anew gives the numbers of tasks again.
export function started_here({ task, startedAt = '' }: TaskStatus): Started | undefined {
  const kept = kept_in_tab<Kept>(name_of(task));
  return kept && Math.abs(kept.at - Date.parse(startedAt)) < NEAR_MS ? kept : undefined;
}
