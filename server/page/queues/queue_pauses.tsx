// Stops and starts what comes to a queue and what goes from it.
import { call } from '../api/client';
import type { QueueInfo } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button, say, say_wrong } from '../parts/controls';
import { use_store } from '../store';

export function Pauses({ queue, reload }: { queue: QueueInfo; reload: () => void }) {
  const now = use_store(session);
  const name = queue.name ?? '';
  const turn = (what: 'deliveries' | 'sends') => async () => {
    try {
      await call(queue.paused[what] ? 'resumeQueue' : 'pauseQueue', { path: { name }, body: { [what]: true } });
      say(`${name}: ${what} are ${queue.paused[what] ? 'resumed' : 'paused'}.`);
      reload();
    } catch (failure) {
      say_wrong(failure);
    }
  };
  const reason = why_not(now, 'operate', name);
  return (
    <>
      <Button on_click={() => void turn('deliveries')()} reason={reason}>
        {queue.paused.deliveries ? 'Resume deliveries' : 'Pause deliveries'}
      </Button>
      <Button on_click={() => void turn('sends')()} reason={reason}>
        {queue.paused.sends ? 'Resume sends' : 'Pause sends'}
      </Button>
    </>
  );
}
