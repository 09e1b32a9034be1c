// Empties or deletes a queue for good.
import { useState } from 'preact/hooks';
import { ApiError, call, is_lost, NO_QUEUE } from '../api/client';
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

// The name has to be typed, so that nobody does this by accident.
function EndDialog({
  end,
  queue,
  tag,
  on_close,
  on_done,
}: {
  end: End;
  queue: QueueInfo;
  tag: string | undefined; // the tag of the queue when the dialog opened; a queue that is created anew has another one
  on_close: () => void;
  on_done: () => void;
}) {
  const [if_match] = useState(tag);
  const [lost, set_lost] = useState(false); // whether the answer to a try was lost
  const [typed, set_typed] = useState('');
  const [busy, set_busy] = useState(false);
  const name = queue.name ?? '';
  const { ready, waiting, leased, dead } = queue.counts;
  const act = async () => {
    set_busy(true);
    try {
      if (end === 'purge') {
        const { purged = 0 } = await call('purgeQueue', { path: { name } });
        say(`${name}: ${plural(purged, 'message is', 'messages are')} gone.`);
      } else {
        await call('deleteQueue', { path: { name }, if_match }).catch((failure) => {
          if (!(lost && failure instanceof ApiError && failure.code === NO_QUEUE)) throw failure;
        });
        say(`${name} is deleted.`);
      }
      on_done();
    } catch (failure) {
      set_lost(lost || is_lost(failure));
      say_wrong(failure);
      set_busy(false);
    }
  };
  const reason = typed === name ? undefined : 'Type the name of the queue exactly.';
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
        {lost && (
          <p class="note warning" role="alert">
            The answer of the server was lost, so it may have been done.{' '}
            {end === 'purge' ? 'Another try deletes what has come since, too.' : 'Another try does no harm.'}
          </p>
        )}
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

export function Ends({ queue, tag, reload }: { queue: QueueInfo; tag: string | undefined; reload: () => void }) {
  const now = use_store(session);
  const [end, set_end] = useState<End | null>(null);
  const reason = why_not(now, 'administer', queue.name ?? '');
  return (
    <fieldset>
      <legend>Cannot be undone</legend>
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
          tag={tag}
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
