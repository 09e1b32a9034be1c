// What the redrives that were begun in this tab take: the server does not tell it of a task.
import type { TaskStatus } from '../api/schema';
import { server_now } from '../parts/format';
import { keep_in_tab, kept_in_tab } from '../parts/tab_store';

interface Started {
  query: string; // the filter, as an address has it
  edited: boolean;
}

type Kept = Started & { from: number; at: number }; // it began between them

const NEAR_MS = 60_000; // between the clock of the server as this page knows it and when the task says that it began
const name_of = (task: number) => `redrive ${task}`;

// `tried_at`: when it was asked for first, by the clock of the browser. It may have begun then, or with a later try.
export function note_started(task: number, started: Started, tried_at: number): void {
  const at = server_now();
  keep_in_tab<Kept>(name_of(task), { ...started, from: at - Math.max(0, Date.now() - tried_at), at });
}

// Undefined: it was begun elsewhere. A server that was set up anew gives the numbers of tasks again.
export function started_here({ task, startedAt = '' }: TaskStatus): Started | undefined {
  const kept = kept_in_tab<Kept>(name_of(task));
  const began = Date.parse(startedAt);
  return kept && began > kept.from - NEAR_MS && began < kept.at + NEAR_MS ? kept : undefined;
}
