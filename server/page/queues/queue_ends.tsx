// How a queue is emptied or ends, for good.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { QueueInfo } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button, Input, say, say_wrong } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { count_text, plural } from '../parts/format';
import { go } from '../router';
import { use_store } from '../store';

const ENDS = {
  purge: { title: 'Purge', what: 'All its messages are deleted for good, also those that are leased.' },
  delete: { title: 'Delete', what: 'The queue, its options and all its messages are deleted for good.' },
} as const;
type End = keyof typeof ENDS;

// Nobody does it by a slip: the name has to be typed.
function EndDialog({
  end,
  queue,
  on_close,
  on_done,
}: {
  end: End;
  queue: QueueInfo;
  on_close: () => void;
  on_done: () => void;
}) {
  const [typed, set_typed] = useState('');
  const [busy, set_busy] = useState(false);
  const name = queue.name ?? '';
  const { ready, waiting, leased, dead } = queue.counts;
  const act = async () => {
    set_busy(true);
    try {
      if (end === 'purge') {
        const { purged = 0 } = await call('purgeQueue', { path: { name }, body: {} });
        say(`${name}: ${plural(purged, 'message is', 'messages are')} gone.`);
      } else {
        await call('deleteQueue', { path: { name } });
        say(`${name} is deleted.`);
      }
      on_done();
    } catch (failure) {
      say_wrong(failure);
      set_busy(false);
    }
  };
  const reason = typed === name ? undefined : 'The name has to be typed as it is.';
  return (
    <Dialog title={`${ENDS[end].title} ${name}`} on_close={on_close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason) void act();
        }}
      >
        <p class="note warning">{ENDS[end].what}</p>
        <p>
          It has <strong>{plural(ready + waiting + leased, 'message')}</strong>
          {dead > 0 && <>, of which {count_text(dead)} are dead letters</>}.
        </p>
        <Input label={`Type ${name}`} value={typed} on_change={set_typed} />
        <div class="buttons">
          <Button on_click={on_close}>Cancel</Button>
          <Button submit kind="danger" reason={reason} busy={busy}>
            {ENDS[end].title} {name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export function Ends({ queue, reload }: { queue: QueueInfo; reload: () => void }) {
  const now = use_store(session);
  const [end, set_end] = useState<End | null>(null);
  const reason = why_not(now, 'administer', queue.name ?? '');
  return (
    <fieldset>
      <legend>For good</legend>
      <div class="actions">
        <Button kind="danger" reason={reason} on_click={() => set_end('purge')}>
          Purge…
        </Button>
        <Button kind="danger" reason={reason} on_click={() => set_end('delete')}>
          Delete…
        </Button>
      </div>
      {end && (
        <EndDialog
          end={end}
          queue={queue}
          on_close={() => set_end(null)}
          on_done={() => {
            set_end(null);
            end === 'delete' ? go('/') : reload();
          }}
        />
      )}
    </fieldset>
  );
}
