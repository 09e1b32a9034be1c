// Sends an edited letter back: finds what was changed, starts the redrive and reads what became of it.
import { call } from '../api/client';
import type { DeadLetter, LeftInPlace, RedriveEditInput, RedriveOptionsInput } from '../api/schema';
import { parse_lines, type Named } from './attribute_lines';
import type { Try } from '../parts/tries';
import { note_started } from '../queues/started';

export function attribute_changes(before: string, after: Named[]): Pick<RedriveEditInput, 'setAttributes' | 'dropAttributes'> {
  const old = parse_lines(before) as Named[];
  const text = (all: Named[], name: string) =>
    all
      .filter((one) => one.name === name)
      .map((one) => one.value)
      .join('\n');
  const changed = new Set(after.filter((one) => text(old, one.name) !== text(after, one.name)).map((one) => one.name));
  const dropped = [...new Set(old.map((one) => one.name))].filter((name) => !after.some((one) => one.name === name));
  return {
    ...(changed.size > 0 ? { setAttributes: after.filter((one) => changed.has(one.name)) } : {}),
    ...(dropped.length > 0 ? { dropAttributes: dropped } : {}),
  };
}

const LOOKS = 20;
const LOOK_MS = 100;

type Result = { kind: 'moved' | 'not known yet' } | { kind: 'none'; left: LeftInPlace | undefined };

// Tells whether a redrive of one letter moved it, or why not. The redrive is quick, unless the server has very much to
// do. If the server does not tell in time, the page of the redrive shows it later.
export async function result_of(task: number): Promise<Result> {
  for (let i = 0; i < LOOKS; ++i) {
    const status = await call('redriveStatus', { path: { task } }).catch(() => null);
    if (status === null) break;
    const { moved, state, left } = status;
    if (moved > 0) return { kind: 'moved' };
    if (state !== 'running') return state === 'done' ? { kind: 'none', left } : { kind: 'not known yet' };
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
  return { kind: 'not known yet' };
}

// Selects the letter only in the state that was shown, since somebody may change it at the last moment.
export function options_for({ id, triage }: DeadLetter, edit: RedriveEditInput, to: string): RedriveOptionsInput {
  const filter = { ids: [id!], status: triage?.status, assignee: triage?.assignee ?? '' };
  return { filter, edit, ...(to ? { to } : {}) };
}

// Starts the redrive. The same request has its effect only once, as long as the server remembers it.
export async function redrive_edited(
  queue: string,
  id: string,
  options: RedriveOptionsInput,
  { request: requestId, at }: Try<unknown>,
): Promise<number> {
  const { task } = await call('redrive', { path: { queue }, body: { ...options, wait: false, requestId } });
  note_started(task, { query: new URLSearchParams({ ids: id }).toString(), edited: true }, at);
  return task;
}
