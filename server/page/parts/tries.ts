// A Try is for a call that must have its effect only once, and may have had it although nobody saw an answer.
import { useEffect, useState } from 'preact/hooks';

export interface Try<What> {
  request: string; // its id
  what?: What; // what was sent; undefined if the browser had no room for it
  at: number; // when it was sent first
}

// A Repetition says how another try compares with the one whose answer was lost. It is the 'same' one; or it asks for
// the same, but the server has 'forgotten' the first one and would act again; or it asks for something 'other'.
export type Repetition = 'same' | 'forgotten' | 'other';

const REMEMBERED_MS = 5 * 60_000; // how long the server gives the first answer to the same request

// Returns whether the server gives the first answer again, so that nothing is done twice.
export function is_remembered({ at }: Try<unknown>): boolean {
  const age = Date.now() - at;
  return age >= 0 && age < REMEMBERED_MS;
}

// Redraws the component when the server has forgotten one of the tries.
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
