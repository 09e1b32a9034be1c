// The entries of a list of dead letters. Each letter was in the queue when it was read.
import type { DeadLetter, DeadLetterFilterInput } from '../api/schema';

// Listed is a letter of the list. Its queue may not have it any more.
export type Listed = DeadLetter & { is_gone?: boolean };

// Returns whether the letter is gone, or is history that the list does not show.
export const has_left = (letter: Listed, { history }: DeadLetterFilterInput): boolean =>
  letter.is_gone === true || (letter.history === true && history !== true);

// Returns whether the letter still belongs to the list.
export const is_listed = (letter: Listed, { history, status, assignee }: DeadLetterFilterInput): boolean =>
  !has_left(letter, { history }) &&
  (status === undefined || status === letter.triage?.status) &&
  (assignee === undefined || assignee === (letter.triage?.assignee ?? ''));
