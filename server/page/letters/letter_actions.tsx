// Actions offer what can be done with several dead letters at once.
import type { DeadLetterFilterInput } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button } from '../parts/controls';
import type { Verb, Wanted } from './bulk_verbs';
import { use_store } from '../store';
import { visible_plain } from '../parts/text';
import { go } from '../router';

interface ActionsProps {
  queue: string;
  filter: DeadLetterFilterInput;
  query: URLSearchParams; // the filter, as an address has it
  which: string;
  ask: (wanted: Wanted) => void;
  parking: boolean;
}

export function Actions({ queue, filter, query, which, ask, parking }: ActionsProps) {
  const now = use_store(session);
  const reason = why_not(now, 'operate', queue);
  const verb = (one: Verb) => () => ask({ verb: one, queue, filter, which });
  const redrive = new URLSearchParams(query);
  redrive.set('queue', queue);
  return (
    <div class="actions" role="group" aria-label={`For ${visible_plain(which)}`}>
      <Button on_click={verb('assign')} reason={reason}>
        Assign…
      </Button>
      <Button on_click={verb('investigate')} reason={reason}>
        Investigate…
      </Button>
      <Button on_click={verb('fixed')} reason={reason}>
        Fixed…
      </Button>
      <Button on_click={verb('note')} reason={reason}>
        Note…
      </Button>
      <Button kind="main" on_click={() => go(`/redrives/new?${redrive}`)} reason={reason}>
        Redrive…
      </Button>
      <Button on_click={verb('park')} reason={reason ?? (parking ? undefined : 'This queue has no parking queue.')}>
        Park…
      </Button>
      <Button kind="danger" on_click={verb('abandon')} reason={reason}>
        Abandon…
      </Button>
      <Button kind="danger" on_click={verb('discard')} reason={reason}>
        Discard…
      </Button>
    </div>
  );
}
