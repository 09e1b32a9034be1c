// Edits of dead letters that are not sent yet, or whose result is not known.
import type { RedriveOptionsInput } from '../api/schema';
import { fits_field } from './line_ends';
import type { Seen } from '../letters/meanwhile';
import { forget_in_tab, keep_in_tab, kept_in_tab } from '../parts/tab_store';
import type { Try } from '../parts/tries';

export interface EditTry extends Try<RedriveOptionsInput> {
  task?: number; // its redrive, if the server has told which; what became of it is not known
}

interface Draft {
  shown?: string; // the body, as its field has it
  patch?: string; // the JSON Patch of a body without a field
  attributes?: string; // the attributes, as their field has them
  at: number; // when it was last changed
  seen: Seen; // what the person who edits it has seen of the letter
  tried?: EditTry; // a try that is not answered yet, or whose answer or result is not known
}

const name_of = (queue: string, id: string) => `draft ${queue} ${id}`;

export const draft_of = (queue: string, id: string): Draft | null => kept_in_tab(name_of(queue, id));

export const end_draft = (queue: string, id: string): void => forget_in_tab(name_of(queue, id));

// Keeps at least that something was sent, without its content, if there is no room for more.
function keep_try(name: string, { at, seen, tried }: Draft): boolean {
  return tried !== undefined && keep_in_tab(name, { at, seen, tried: { ...tried, what: undefined } } satisfies Draft);
}

// Returns false if the browser has no room for the draft, or if no field could be filled with it again.
export function keep_draft(queue: string, id: string, draft: Draft): boolean {
  const name = name_of(queue, id);
  const { tried } = draft;
  const all = [draft, ...(tried ? [{ ...draft, tried: { ...tried, what: undefined } }] : [])];
  const is_kept = fits_field(draft.shown ?? draft.patch ?? '') && all.some((one) => keep_in_tab(name, one));
  if (!is_kept && !keep_try(name, draft)) end_draft(queue, id); // an older version is not what is in the fields
  return is_kept;
}
