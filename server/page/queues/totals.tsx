// Totals show the sums over all queues that the token may see.
import type { QueueInfo } from '../api/schema';
import { knows_all, session } from '../api/session';
import { Figure } from '../parts/controls';
import { bytes_text, plural, short_count } from '../parts/format';
import { dead_letter_queues } from './routes';
import { use_store } from '../store';

export function Totals({ queues: all }: { queues: QueueInfo[] }) {
  const now = use_store(session);
  const sum = (of: (queue: QueueInfo) => number) => all.reduce((total, one) => total + of(one), 0);
  const is_limited = !knows_all(now);
  const dead_queues = dead_letter_queues(all);
  const ready_dead = dead_queues.reduce((total, one) => total + one.counts.ready, 0);
  const untold =
    is_limited && all.length === 0 ? `the token “${now.name ?? ''}” may see no queue` : undefined;
  const untold_dead =
    is_limited && dead_queues.length === 0
      ? `the token “${now.name ?? ''}” may see no dead letter queue`
      : undefined;
  const of_those = is_limited ? ' that this token may see' : '';
  return (
    <dl class="figures">
      <Figure
        label="Dead letters"
        value={short_count(sum((one) => one.counts.dead))}
        more={`${is_limited ? 'in ' : ''}${plural(dead_queues.length, 'dead letter queue')}${of_those}`}
        kind={sum((one) => one.counts.dead) > 0 ? 'dead' : is_limited ? '' : 'good'}
        unknown={untold_dead}
      />
      <Figure
        label="Ready"
        value={short_count(sum((one) => one.counts.ready))}
        more={untold_dead ? undefined : `${short_count(ready_dead)} in dead letter queues`}
        unknown={untold}
      />
      <Figure label="Leased" value={short_count(sum((one) => one.counts.leased))} unknown={untold} />
      <Figure label="Waiting" value={short_count(sum((one) => one.counts.waiting))} unknown={untold} />
      <Figure
        label="Stored"
        value={bytes_text(sum((one) => one.bytes))}
        more={`${plural(all.length, 'queue')}${of_those}`}
        unknown={untold}
      />
    </dl>
  );
}
