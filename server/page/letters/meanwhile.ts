// These functions find what others did about a dead letter while somebody had it in front of them.
import { call } from '../api/client';
import type { DeadLetter, TriageNote } from '../api/schema';
import { set_server_time } from '../parts/format';

export const GONE = 'Its message is not in the queue any more.';

// Reads a letter with its body, even if it is history. Null if there is no such letter.
export async function read_letter(queue: string, id: string, signal?: AbortSignal): Promise<DeadLetter | null> {
  const query = { ids: [id], history: true, bodies: true, max: 1 };
  const page = await call('listDeadLetters', { path: { queue }, query, signal });
  if (page.time) set_server_time(page.time);
  return page.items?.[0] ?? null;
}

// `Seen` is what a person has seen of a letter. Anything that others do to the letter changes one of the members.
export interface Seen {
  seq: string;
  status: string;
  assignee: string;
  notes: number;
  steps: number; // how many steps its audit has
}

export const seen_of = ({ seq, triage }: DeadLetter): Seen => ({
  seq,
  status: triage?.status ?? 'new',
  assignee: triage?.assignee ?? '',
  notes: (triage?.notes?.length ?? 0) + (triage?.notesDropped ?? 0),
  steps: (triage?.audit?.length ?? 0) + (triage?.auditDropped ?? 0),
});

export const is_as_seen = (seen: Seen, letter: DeadLetter): boolean =>
  JSON.stringify(seen) === JSON.stringify(seen_of(letter));

const last = (all: TriageNote[] | undefined, count: number): TriageNote[] => (count > 0 ? (all ?? []).slice(-count) : []);
const by = (one: TriageNote) => one.actor || 'somebody';

// Describes each change in a sentence. The list is empty if the letter is as it was seen.
export function changes_since(seen: Seen, letter: DeadLetter): string[] {
  const now = seen_of(letter);
  const changes: string[] = [];
  if (now.seq !== seen.seq) changes.push('It was redriven, and died again.');
  if (now.status !== seen.status) changes.push(`Its status is ${now.status}; it was ${seen.status}.`);
  if (now.assignee !== seen.assignee) changes.push(`It is assigned to ${now.assignee || 'nobody'}.`);
  for (const one of last(letter.triage?.notes, now.notes - seen.notes)) changes.push(`${by(one)} noted: ${one.text ?? ''}`);
  if (changes.length > 0) return changes;
  return last(letter.triage?.audit, now.steps - seen.steps).map((one) => `${by(one)}: ${one.text ?? ''}`);
}
