// A try to send an edited letter, which may have had its effect though nobody saw an answer.
import { useEffect, useState } from 'preact/hooks';
import type { RedriveOptionsInput } from '../api/schema';

export interface Try {
  request: string; // its id
  options?: RedriveOptionsInput; // as they were sent; none: the browser had no room for them
  at: number; // when it was sent first
}

const REMEMBERED_MS = 5 * 60_000; // for which the server answers the same request as it did first

// Whether the server gives the first answer again, so that nothing is sent twice.
export function is_remembered({ at }: Try): boolean {
  const age = Date.now() - at;
  return age >= 0 && age < REMEMBERED_MS;
}

// The same, for what is drawn: it is drawn again when the time is over.
export function use_remembered(tried: Try | null): boolean {
  const [, redraw] = useState(0);
  const remembered = tried !== null && is_remembered(tried);
  useEffect(() => {
    if (!remembered) return;
    const timer = setTimeout(() => redraw((n) => n + 1), tried.at + REMEMBERED_MS - Date.now());
    return () => clearTimeout(timer);
  }, [tried, remembered]);
  return remembered;
}
