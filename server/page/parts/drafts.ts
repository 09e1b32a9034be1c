// Edits of dead letters that are not sent yet: kept by the tab, over the end of a session and over reloads.
//
// A draft holds what a token was granted to see, so it ends when its owner signs out or somebody else signs in.
import { is_stranger, session } from '../api/session';
import { fits_field } from './line_ends';
import type { Seen } from './meanwhile';

export interface Draft {
  shown?: string; // the body, as its field has it
  patch?: string; // of a body without a field
  attributes: string; // as their field has them
  at: number; // when it was last changed
  seen: Seen; // of the letter, by who edits it
}

type Kept = Draft & { owner: string };

const PREFIX = 'holdfast-draft ';
const key_of = (queue: string, id: string) => `${PREFIX}${queue} ${id}`;
const owner = () => session.get().name ?? '';
const kept_at = (key: string): Kept | null => JSON.parse(sessionStorage.getItem(key) ?? 'null');

export const draft_of = (queue: string, id: string): Draft | null => kept_at(key_of(queue, id));

export const end_draft = (queue: string, id: string): void => sessionStorage.removeItem(key_of(queue, id));

// False: the browser has no room for it, or no field could be filled with it again.
export function keep_draft(queue: string, id: string, draft: Draft): boolean {
  try {
    if (fits_field(draft.shown ?? draft.patch ?? '')) {
      sessionStorage.setItem(key_of(queue, id), JSON.stringify({ ...draft, owner: owner() } satisfies Kept));
      return true;
    }
  } catch {
    // What was kept of it before is not what is in the fields.
  }
  end_draft(queue, id);
  return false;
}

export function end_drafts(which: (owner: string) => boolean = () => true): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && which(kept_at(key)?.owner ?? '')) sessionStorage.removeItem(key);
}

export function guard_drafts(): void {
  session.follow((now) => {
    if (now.known && !is_stranger(now)) end_drafts((one) => one !== owner());
  });
}
