// Buttons offer what can be done about one dead letter.
import { call } from '../api/client';
import type { DeadLetter } from '../api/schema';
import { session, why_not } from '../api/session';
import { GONE } from '../letters/meanwhile';
import type { Verb, Wanted } from '../letters/bulk_verbs';
import { Button } from '../parts/controls';
import { use_api } from '../parts/use_api';
import { go } from '../router';
import { use_store } from '../store';

interface ButtonsProps {
  queue: string;
  letter: DeadLetter;
  hidden: string | undefined; // why its body cannot be changed
  on_edit: () => void;
  on_ask: (wanted: Wanted) => void;
}

function use_why_no_parking(queue: string): string | undefined {
  const read = (signal: AbortSignal) => call('describeQueue', { path: { name: queue }, signal });
  const info = use_api(queue, read, { every: 0, after: () => false });
  return info.data?.options?.parkingQueue ? undefined : 'This queue has no parking queue.';
}

export function Buttons({ queue, letter: one, hidden, on_edit, on_ask }: ButtonsProps) {
  const no_parking = use_why_no_parking(queue);
  const id = one.id ?? '';
  const reason = why_not(use_store(session), 'operate', queue);
  const gone = one.history ? GONE : undefined;
  const ask = (verb: Verb) => () =>
    on_ask({ verb, queue, filter: { ids: [id], history: true }, which: `Number ${one.seq}` });
  return (
    <div class="actions" role="group" aria-label="For this dead letter">
      <Button on_click={ask('investigate')} reason={reason}>
        Investigate…
      </Button>
      <Button on_click={ask('fixed')} reason={reason}>
        Fixed…
      </Button>
      <Button on_click={ask('assign')} reason={reason} keys="a">
        Assign…
      </Button>
      <Button on_click={ask('note')} reason={reason} keys="n">
        Note…
      </Button>
      <Button kind="main" on_click={() => go(`/redrives/new?queue=${queue}&ids=${id}`)} reason={reason ?? gone} keys="r">
        Redrive…
      </Button>
      <Button on_click={on_edit} reason={reason ?? gone ?? hidden} keys="e">
        Edit and redrive…
      </Button>
      <Button on_click={ask('park')} reason={reason ?? gone ?? no_parking}>
        Park…
      </Button>
      <Button kind="danger" on_click={ask('abandon')} reason={reason} keys="x">
        Abandon…
      </Button>
      <Button kind="danger" on_click={ask('discard')} reason={reason ?? gone}>
        Discard…
      </Button>
    </div>
  );
}
