// What a list of dead letters has: letters that were there when they were read.
import type { DeadLetter, DeadLetterFilterInput } from '../api/schema';

// A letter of the list, which its queue may not have any more.
export type Listed = DeadLetter & { is_gone?: boolean };

// Whether there is nothing left of it that the list is about.
export const has_left = (letter: Listed, { history }: DeadLetterFilterInput): boolean =>
  letter.is_gone === true || (letter.history === true && history !== true);

// Whether the list would still have it.
export const is_listed = (letter: Listed, { history, status, assignee }: DeadLetterFilterInput): boolean =>
  !has_left(letter, { history }) &&
  (status === undefined || status === letter.triage?.status) &&
  (assignee === undefined || assignee === (letter.triage?.assignee ?? ''));
