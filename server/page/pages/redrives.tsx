// Redrives is the page of the redrives that run, and of those that ended lately.
import { call } from '../api/client';
import { may_everywhere, session, why_not } from '../api/session';
import { Wrong } from '../parts/controls';
import { age_text, count_text, time_text } from '../parts/format';
import { use_store } from '../store';
import { Text } from '../parts/text';
import { Unknown, why_unknown } from '../parts/unknown';
import { use_api } from '../parts/use_api';
import { Progress, State, action_text, left_sum } from '../queues/redrive_task';

export function Redrives() {
  const now = use_store(session);
  const tasks = use_api(
    'redrives',
    async (signal) => ((await call('listRedrives', { signal })).tasks ?? []).reverse(),
    { every: 2000 },
  );
  const unknown = why_unknown(tasks, why_not(now, 'operate', ''));
  const is_empty = (tasks.data?.length ?? 0) === 0;
  return (
    <>
      <h1>Redrives</h1>
      {is_empty && unknown !== undefined && <Unknown because={unknown} />}
      {is_empty && unknown === undefined && (
        <p class="faint">
          There are no redrives{!may_everywhere(now, 'operate') && ' of queues that this token may operate'}. Start one
          from a dead letter queue, a group or a letter.
        </p>
      )}
      {!is_empty && <Wrong error={tasks.error} />}
      {!is_empty && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Redrives">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Task</th>
                <th scope="col">Action</th>
                <th scope="col">Queue</th>
                <th scope="col">State</th>
                <th scope="col">Progress</th>
                <th scope="col" class="number">
                  Moved
                </th>
                <th scope="col" class="number">
                  Parked
                </th>
                <th scope="col" class="number">
                  Left
                </th>
                <th scope="col" class="number">
                  Acknowledged
                </th>
                <th scope="col" class="number">
                  Dead again
                </th>
                <th scope="col">Started</th>
                <th scope="col">By</th>
              </tr>
            </thead>
            <tbody>
              {tasks.data!.map((task) => (
                <tr key={task.task}>
                  <th scope="row">
                    <a href={`/redrives/${task.task}`}>{task.task}</a>
                  </th>
                  <td>{action_text(task)}</td>
                  <td>
                    <a href={`/dead-letters/${task.queue}`}>
                      <Text of={task.queue} />
                    </a>
                  </td>
                  <td>
                    <State of={task.state} />
                  </td>
                  <td>
                    <Progress task={task} />
                  </td>
                  <td class="number">{count_text(task.moved)}</td>
                  <td class="number">{count_text(task.parked)}</td>
                  <td class="number">{count_text(left_sum(task.left))}</td>
                  <td class="number">{count_text(task.outcomes?.acked ?? 0)}</td>
                  <td class="number">
                    {count_text((task.outcomes?.diedAgain ?? 0) + (task.outcomes?.diedElsewhere ?? 0))}
                  </td>
                  <td title={time_text(task.startedAt)}>{age_text(task.startedAt)}</td>
                  <td>
                    <Text of={task.actor} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
