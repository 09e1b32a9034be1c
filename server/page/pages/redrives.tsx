// The redrives that run, and those that ended lately.
import { call } from '../api/client';
import { Loading, Wrong } from '../parts/controls';
import { age_text, count_text, time_text } from '../parts/format';
import { Text } from '../parts/text';
import { use_api } from '../parts/use_api';
import { Progress, State, left_sum } from '../parts/redrive_task';

export function Redrives() {
  const tasks = use_api(
    'redrives',
    async (signal) => ((await call('listRedrives', { signal })).tasks ?? []).reverse(),
    { every: 2000 },
  );
  return (
    <>
      <h1>Redrives</h1>
      <Wrong error={tasks.error} />
      {tasks.loading && <Loading />}
      {tasks.data?.length === 0 && (
        <p class="faint">There is none. A redrive begins at a dead letter queue, a group or a letter.</p>
      )}
      {(tasks.data?.length ?? 0) > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Redrives">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Task</th>
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
                <th scope="col">Begun</th>
                <th scope="col">By</th>
              </tr>
            </thead>
            <tbody>
              {tasks.data!.map((task) => (
                <tr key={task.task}>
                  <th scope="row">
                    <a href={`/redrives/${task.task}`}>{task.task}</a>
                  </th>
                  <td>
                    <Text of={task.queue} />
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
