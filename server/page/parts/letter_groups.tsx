// Failures that look alike, the most frequent first.
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import { filter_of } from './filter_query';
import type { DeadLetterFilterInput, DeadLetterGroup } from '../api/schema';
import { Spark } from './charts';
import { Badge, Loading, Status, Wrong } from './controls';
import { type Wanted } from './bulk';
import { age_text, iso, plural, server_now, short_count, time_text, word_of } from './format';
import { Text } from './text';
import { of_queue, use_api } from './use_api';
import { Actions } from './letter_actions';

const DAY_MS = 86_400_000;
const TREND_PARTS = 6;
const TREND_LETTERS = 200_000; // with more, groups have no trend: counting each part would take too long
// How many of each group died in each part of the last day.
async function read_trend(
  queue: string,
  filter: DeadLetterFilterInput,
  signal: AbortSignal,
): Promise<Map<string, number[]>> {
  const end = server_now();
  const part = DAY_MS / TREND_PARTS;
  const trend = new Map<string, number[]>();
  await Promise.all(
    Array.from({ length: TREND_PARTS }, async (_, i) => {
      const [from, to] = [iso(end - (TREND_PARTS - i) * part), iso(end - (TREND_PARTS - 1 - i) * part)];
      const told = await call('groupDeadLetters', {
        path: { queue },
        query: { ...filter, by: 'fingerprint', diedFrom: from, diedBefore: to, max: 200 },
        signal,
      });
      for (const { value = '', count } of told.groups ?? []) {
        const parts = trend.get(value) ?? Array<number>(TREND_PARTS).fill(0);
        parts[i] = count;
        trend.set(value, parts);
      }
    }),
  );
  return trend;
}

function GroupRow({
  group,
  queue,
  trend,
  last_visit,
  on_pick,
  picked,
}: {
  group: DeadLetterGroup;
  queue: string;
  trend?: number[];
  last_visit: number | null;
  on_pick: () => void;
  picked: boolean;
}) {
  const record = group.sample?.record;
  const value = group.value ?? '';
  const is_new = last_visit !== null && Date.parse(group.firstDiedAt ?? '') > last_visit;
  return (
    <tr class={picked ? 'picked' : ''}>
      <td class="number strong">{short_count(group.count)}</td>
      <th scope="row" class="wraps">
        <button type="button" class="link" aria-expanded={picked} onClick={on_pick}>
          <Text of={record?.rejection?.reason} empty={word_of(record?.cause)} />
        </button>
        <div class="sub">
          <Text of={record?.rejection?.category} empty="no category" /> ·{' '}
          <Text of={record?.rejection?.code} empty="no code" /> · <span class="mono">{value.slice(0, 8)}</span>
          {is_new && <Badge kind="info">new</Badge>}
        </div>
      </th>
      <td>
        {trend ? (
          <Spark values={trend} label={`in the last day, in six parts: ${trend.join(', ')}`} />
        ) : (
          <span class="faint">—</span>
        )}
      </td>
      <td title={time_text(group.firstDiedAt)}>{age_text(group.firstDiedAt)}</td>
      <td title={time_text(group.lastDiedAt)}>{age_text(group.lastDiedAt)}</td>
      <td>
        <Text of={group.sample?.triage?.assignee} />
      </td>
      <td>
        <Status of={group.sample?.triage?.status} />
      </td>
      <td>
        <a href={`/dead-letters/${queue}/${group.sample?.id}`}>newest</a> ·{' '}
        <a href={`/dead-letters/${queue}?view=letters&fingerprint=${value}`}>all</a>
      </td>
    </tr>
  );
}

export function Groups({
  queue,
  filter,
  query,
  ask,
  parking,
  dead,
  last_visit,
}: {
  last_visit: number | null;
  queue: string;
  filter: DeadLetterFilterInput;
  query: URLSearchParams;
  ask: (wanted: Wanted) => void;
  parking: boolean;
  dead: number;
}) {
  const [picked, set_picked] = useState<string | null>(null);
  const key = `${queue} ${query}`;
  const groups = use_api(
    key,
    (signal) =>
      call('groupDeadLetters', {
        path: { queue },
        query: { ...filter_of(query), by: 'fingerprint', max: 200 },
        signal,
      }),
    { every: 5000, after: of_queue(queue) },
  );
  const timed = filter.diedFrom !== undefined || filter.diedBefore !== undefined;
  const trend = use_api(dead <= TREND_LETTERS && !timed ? key : null, (signal) => read_trend(queue, filter, signal), {
    every: 30000,
    after: of_queue(queue),
  });
  if (!groups.data)
    return (
      <>
        <Wrong error={groups.error} />
        {groups.loading && <Loading />}
      </>
    );
  const all = groups.data.groups ?? [];
  if (all.length === 0) return <p class="faint">No dead letter {query.size > 0 ? 'matches' : 'is here'}.</p>;
  return (
    <>
      <Wrong error={groups.error} />
      <div class="scroll" tabIndex={0} role="region" aria-label="Groups">
        <table class="rows groups">
          <thead>
            <tr>
              <th scope="col" class="number">
                Count
              </th>
              <th scope="col">Reason</th>
              <th scope="col">Last day</th>
              <th scope="col">First</th>
              <th scope="col">Last</th>
              <th scope="col">Assignee</th>
              <th scope="col">Status</th>
              <th scope="col">Letters</th>
            </tr>
          </thead>
          <tbody>
            {all.map((group) => {
              const value = group.value ?? '';
              const chosen = new URLSearchParams(query);
              chosen.set('fingerprint', value);
              return (
                <Fragment key={value}>
                  <GroupRow
                    group={group}
                    queue={queue}
                    trend={trend.data?.get(value)}
                    last_visit={last_visit}
                    picked={picked === value}
                    on_pick={() => set_picked(picked === value ? null : value)}
                  />
                  {picked === value && (
                    <tr class="picked">
                      <td colSpan={8}>
                        <Actions
                          queue={queue}
                          filter={{ ...filter, fingerprint: value }}
                          query={chosen}
                          which={`Group ${value.slice(0, 8)}`}
                          ask={ask}
                          parking={parking}
                        />
                      </td>
                    </tr>
                  )}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </div>
      {groups.data.leftOut > 0 && <p class="faint">And {plural(groups.data.leftOut, 'smaller group')}.</p>}
      {!groups.data.complete && <p class="faint">Only the first million that may match was looked at.</p>}
    </>
  );
}
