// Shows that something is not known, and why. It must never look like a zero, or like nothing.
import type { ApiError } from '../api/client';
import type { ComponentChildren } from 'preact';
import { Loading } from './controls';
import { visible, visible_plain } from './text';

export const BEING_READ = 'it is being read';

// Says why something is not known now. Undefined if it is known. `refused`: why the token may not ask. What was read
// before the server stopped answering may be out of date, so it counts as not known.
export function why_unknown(
  of: { data: unknown; error: ApiError | undefined },
  refused?: string,
): string | undefined {
  return refused ?? of.error?.message ?? (of.data === undefined ? BEING_READ : undefined);
}

export function Unknown({ because, children }: { because: string; children?: ComponentChildren }) {
  if (because === BEING_READ) return <Loading />;
  return (
    <p class="note warning">
      Not known: {visible(because)} {children}
    </p>
  );
}

// Stands in the place of a number that is not known.
export const UnknownMark = ({ because }: { because: string }) => (
  <span class="faint" title={`not known: ${visible_plain(because)}`}>
    ?<span class="unseen"> not known: {visible(because)}</span>
  </span>
);
