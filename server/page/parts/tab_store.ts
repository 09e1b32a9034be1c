// The store is what the tab keeps for the person who is signed in. It outlives the session and survives reloads.
//
// It holds what a token was granted to see. So it ends when its owner signs out in any tab, or when somebody else signs
// in.
import { is_stranger, session } from '../api/session';

type Owned<T> = { owner: string; value: T };

const PREFIX = 'holdfast ';
// The owner stays the same after the session has ended, since the same person may sign in again.
const owner = () => session.get().name ?? session.get().ended ?? '';

const in_page = new Map<string, string>(); // what the browser has no room for; it is kept as long as the page is there
const owned_at = <T>(key: string): Owned<T> | null => JSON.parse(in_page.get(key) ?? sessionStorage.getItem(key) ?? 'null');

export const kept_in_tab = <T>(name: string): T | null => owned_at<T>(PREFIX + name)?.value ?? null;

const text_of = <T>(value: T) => JSON.stringify({ owner: owner(), value } satisfies Owned<T>);

// Returns false if the browser has no room for the value.
export function keep_in_tab<T>(name: string, value: T): boolean {
  try {
    sessionStorage.setItem(PREFIX + name, text_of(value));
    return true;
  } catch {
    return false; // what was kept before is still there
  }
}

// Keeps the value in the page if the browser has no room for it. It is lost with the page then.
export function keep_in_tab_or_page<T>(name: string, value: T): void {
  in_page.delete(PREFIX + name);
  if (!keep_in_tab(name, value)) in_page.set(PREFIX + name, text_of(value));
}

function forget(key: string): void {
  in_page.delete(key);
  sessionStorage.removeItem(key);
}

export const forget_in_tab = (name: string): void => forget(PREFIX + name);

export function end_kept_in_tab(which: (owner: string) => boolean = () => true): void {
  for (const key of [...Object.keys(sessionStorage), ...in_page.keys()])
    if (key.startsWith(PREFIX) && which(owned_at(key)?.owner ?? '')) forget(key);
}

export function guard_kept_in_tab(): void {
  session.follow((now) => {
    if (now.left !== undefined) end_kept_in_tab();
    else if (now.known && !is_stranger(now)) end_kept_in_tab((one) => one !== owner());
  });
}
