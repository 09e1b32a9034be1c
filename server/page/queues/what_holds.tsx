// WhatHolds shows the alerts, pauses and brakes of all queues, and a note if the token may not see all of them.
import type { QueueInfo } from '../api/schema';
import { knows_all, session } from '../api/session';
import { holding, is_braked } from './alerts';
import { Badge } from '../parts/controls';
import { age_seconds, count_text, duration_text, plural, time_text } from '../parts/format';
import { use_store } from '../store';
import { visible } from '../parts/text';
import { Unknown } from '../parts/unknown';

const FEW = 5; // how many rows are visible at once

// For a token that sees only some queues: the dead letter queues of the queues that it uses may be among the others.
function Untold({ queues }: { queues: QueueInfo[] }) {
  const now = use_store(session);
  if (knows_all(now)) return null;
  return (
    <p class="note warning">
      The token “{visible(now.name ?? '')}” may see{' '}
      {queues.length === 0
        ? 'no queue. Alerts and pauses are not shown.'
        : `${plural(queues.length, 'queue')} only. Alerts and pauses of the others are not shown.`}
    </p>
  );
}

// `stale`: why the data may be out of date.
export function WhatHolds({ queues, stale }: { queues: QueueInfo[]; stale?: string }) {
  const now = use_store(session);
  const all = holding(queues);
  const stopped = queues.filter((queue) => queue.paused.deliveries || queue.paused.sends || is_braked(queue));
  if (all.length === 0 && stopped.length === 0 && stale !== undefined)
    return <Unknown because={stale}>There was no alert, pause or brake when it last did.</Unknown>;
  if (all.length === 0 && stopped.length === 0)
    return knows_all(now) ? (
      <p class="note done">There is no alert, no pause and no brake.</p>
    ) : (
      <Untold queues={queues} />
    );
  return (
    <>
      <Untold queues={queues} />
      {all.length + stopped.length > FEW && (
        <p class="faint">
          {[
            plural(all.filter((one) => one.critical).length, 'critical alert'),
            plural(all.filter((one) => !one.critical).length, 'warning'),
            `${count_text(stopped.length)} paused or slowed`,
          ].join(', ')}
          . The newest of each kind are first.
        </p>
      )}
      <ul class="alerts" tabIndex={0} aria-label="Alerts and pauses">
        {all.map((one) => (
          <li>
            <Badge kind={one.critical ? 'critical' : 'warning'}>{one.critical ? 'critical' : 'warning'}</Badge>
            <a href={`/dead-letters/${one.queue}`}>{one.queue}</a>
            <span>{one.text}</span>
            <span class="faint" title={`since ${time_text(one.since)}`}>
              for {duration_text(one.since ? Math.max(0, age_seconds(one.since)) : 0)}
            </span>
          </li>
        ))}
        {stopped.map((queue) => (
          <li>
            <Badge kind="info">{is_braked(queue) ? 'brake' : 'paused'}</Badge>
            <a href={`/queues/${queue.name}`}>{queue.name}</a>
            <span>
              {is_braked(queue)
                ? `slowed until ${time_text(queue.brakedUntil)}: its messages die in large numbers`
                : `${[queue.paused.deliveries && 'deliveries', queue.paused.sends && 'sends'].filter(Boolean).join(' and ')} stopped`}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
