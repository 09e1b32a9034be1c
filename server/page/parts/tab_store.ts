// What the tab keeps for who is signed in, over the end of a session and over reloads.
//
// It holds what a token was granted to see, so it ends when its owner signs out or somebody else signs in.
import { is_stranger, session } from '../api/session';

type Owned<T> = { owner: string; value: T };

const PREFIX = 'holdfast ';
const owner = () => session.get().name ?? '';
const owned_at = <T>(key: string): Owned<T> | null => JSON.parse(sessionStorage.getItem(key) ?? 'null');

export const kept_in_tab = <T>(name: string): T | null => owned_at<T>(PREFIX + name)?.value ?? null;

// False: the browser has no room for it.
export function keep_in_tab<T>(name: string, value: T): boolean {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify({ owner: owner(), value } satisfies Owned<T>));
    return true;
  } catch {
    return false; // what was kept before is still there
  }
}

export const forget_in_tab = (name: string): void => sessionStorage.removeItem(PREFIX + name);

export function end_kept_in_tab(which: (owner: string) => boolean = () => true): void {
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(PREFIX) && which(owned_at(key)?.owner ?? '')) sessionStorage.removeItem(key);
}

export function guard_kept_in_tab(): void {
  session.follow((now) => {
    if (now.known && !is_stranger(now)) end_kept_in_tab((one) => one !== owner());
  });
}
