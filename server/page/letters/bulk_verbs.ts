// A Verb is what can be done to many dead letters. These constants describe verbs in words.
import type { ChangeDeadLettersRequest, DeadLetterFilterInput } from '../api/schema';

export type Verb = 'assign' | 'investigate' | 'fixed' | 'abandon' | 'note' | 'discard' | 'park';

export interface Wanted {
  verb: Verb;
  queue: string;
  filter: DeadLetterFilterInput;
  which: string; // in words
}

export const TITLES: Record<Verb, string> = {
  assign: 'Assign',
  investigate: 'Investigate',
  fixed: 'Mark as fixed',
  abandon: 'Abandon',
  note: 'Add a note',
  discard: 'Discard',
  park: 'Park',
};

// ACTS are the texts of the button, with the number of letters.
export const ACTS: Record<Verb, (letters: string) => string> = {
  assign: (letters) => `Assign ${letters}`,
  investigate: (letters) => `Investigate ${letters}`,
  fixed: (letters) => `Mark ${letters} as fixed`,
  abandon: (letters) => `Abandon ${letters}`,
  note: (letters) => `Add a note to ${letters}`,
  discard: (letters) => `Discard ${letters}`,
  park: (letters) => `Park ${letters}`,
};

export const WARNINGS: Partial<Record<Verb, string>> = {
  abandon: 'A redrive leaves them in place, unless it asks for them by name or by status.',
  discard: 'Their messages are deleted for good. Their records stay as history.',
  park: 'They move to the parking queue, and nothing moves them on automatically.',
};

export const DANGEROUS: readonly Verb[] = ['abandon', 'discard'];

export function changes_of(verb: Verb, text: string): Partial<ChangeDeadLettersRequest> {
  if (verb === 'assign') return { assignee: text };
  if (verb === 'note') return { note: text };
  if (verb === 'abandon') return { status: 'abandoned', ...(text.trim() ? { note: text } : {}) };
  return { status: verb === 'fixed' ? 'fixed' : 'investigating' };
}
