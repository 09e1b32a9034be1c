// A try of a call that is to have its effect once, and may have had it though nobody saw an answer.
import { useEffect, useState } from 'preact/hooks';

export interface Try<What> {
  request: string; // its id
  what?: What; // as it was sent; none: the browser had no room for it
  at: number; // when it was sent first
}

// What another try is, beside one whose answer was lost: the same one; the same, but for the server, which has forgotten it,
// it would be another one; or one of something else.
export type Repetition = 'same' | 'forgotten' | 'other';

const REMEMBERED_MS = 5 * 60_000; // for which the server answers the same request as it did first

// Whether the server gives the first answer again, so that nothing is done twice.
export function is_remembered({ at }: Try<unknown>): boolean {
  const age = Date.now() - at;
  return age >= 0 && age < REMEMBERED_MS;
}

// Draws again when the server has forgotten one of them.
export function use_forgetting(tries: readonly Try<unknown>[]): void {
  const [, redraw] = useState(0);
  const remembered = tries.filter(is_remembered);
  const next = remembered.length > 0 ? Math.min(...remembered.map((one) => one.at)) : null;
  useEffect(() => {
    if (next === null) return;
    const timer = setTimeout(() => redraw((n) => n + 1), next + REMEMBERED_MS - Date.now());
    return () => clearTimeout(timer);
  }, [next]);
}

export function use_remembered(tried: Try<unknown> | null): boolean {
  use_forgetting(tried ? [tried] : []);
  return tried !== null && is_remembered(tried);
}
