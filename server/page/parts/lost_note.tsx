// LostNote is what a person reads if the answer to a try was lost.
import type { ComponentChildren } from 'preact';
import { iso, time_text } from './format';
import type { Repetition, Try } from './tries';

export const SAME = 'Another try gets the answer to the first one, and does nothing twice.';
const FORGOTTEN = 'That is more than five minutes ago, so the server does not know the try any more';

interface LostNoteProps {
  tried: Pick<Try<unknown>, 'at'>;
  how: Repetition;
  sent: string; // "the message was sent"
  perhaps: string; // "may be in the queue"
  again: string; // what another try may do if the server has forgotten the first one
  changed: string; // what holds if the form asks for something else now
  children?: ComponentChildren;
}

export function LostNote({ tried, how, sent, perhaps, again, changed, children }: LostNoteProps) {
  const more = { same: SAME, forgotten: `${FORGOTTEN}: ${again}.`, other: changed }[how];
  return (
    <p class="note warning" role="alert">
      The answer of the server was lost: {sent} at {time_text(iso(tried.at))}, and {perhaps}. {more} {children}
    </p>
  );
}
