// Failures that look alike, the most frequent first.
import { Fragment, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/client';
import { filter_of } from './filter_query';
import type { DeadLetterFilterInput, DeadLetterGroup } from '../api/schema';
import { Spark } from '../parts/charts';
import { Badge, Loading, Status, Wrong } from '../parts/controls';
import type { Wanted } from './bulk_verbs';
import { age_text, count_text, iso, plural, server_now, short_count, time_text, word_of } from '../parts/format';
import { use_store } from '../store';
import { Text, visible_plain } from '../parts/text';
import { BEING_READ, UnknownMark, why_unknown } from '../parts/unknown';
import { of_queue, use_api } from '../parts/use_api';
import { Actions } from './letter_actions';
import { session, why_not } from '../api/session';
import { go } from '../router';

const DAY_MS = 86_400_000;
const GROUPS = 200; // that are shown
const TREND_PARTS = 6;
const NO_TREND = Array<number>(TREND_PARTS).fill(0);
const TREND_LETTERS = 200_000; // with more, groups have no trend: counting each part would take too long
const ASSIGNEES = 12; // that are told apart within a group

// How many of each group have which assignee, and which status: nobody, where it is empty.
type Mix = Map<string, { assignees: Map<string, number>; statuses: Map<string, number> }>;

// A call for each assignee and status, not for each group.
async function read_mix(queue: string, filter: DeadLetterFilterInput, signal: AbortSignal): Promise<Mix> {
  const mix: Mix = new Map();
  const count = async (by: 'assignee' | 'status', into: 'assignees' | 'statuses') => {
    const query = { ...filter, by, max: ASSIGNEES };
    const values = await call('groupDeadLetters', { path: { queue }, query, signal });
    await Promise.all(
      (values.groups ?? []).map(async ({ value = '' }) => {
        const one = { ...filter, [by]: value, by: 'fingerprint', max: GROUPS } as const;
        const told = await call('groupDeadLetters', { path: { queue }, query: one, signal });
        for (const group of told.groups ?? []) {
          const of_group = mix.get(group.value ?? '') ?? { assignees: new Map(), statuses: new Map() };
          of_group[into].set(value, group.count);
          mix.set(group.value ?? '', of_group);
        }
      }),
    );
  };
  await Promise.all([
    filter.assignee === undefined && count('assignee', 'assignees'),
    filter.status === undefined && count('status', 'statuses'),
  ]);
  return mix;
}

// One for all, or how many have which.
function Mixed({
  of,
  total,
  newest,
  empty,
}: {
  of?: Map<string, number>;
  total: number;
  newest?: string;
  empty: string;
}) {
  const largest = [...(of ?? [])].sort(([, a], [, b]) => b - a);
  if (!of || largest.length === 0 || largest[0]![1] >= total)
    return <Text of={of && largest.length > 0 ? largest[0]![0] : newest} empty={empty} />;
  const rest = total - largest.reduce((sum, [, count]) => sum + count, 0);
  const parts = [...largest.map(([name, count]) => `${name || empty} ${count_text(count)}`)];
  if (rest > 0) parts.push(`others ${count_text(rest)}`);
  return (
    <span title={visible_plain(parts.join(', '))}>
      mixed: <Text of={parts.slice(0, 2).join(', ')} />
      {parts.length > 2 && ', …'}
    </span>
  );
}

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
        query: { ...filter, by: 'fingerprint', diedFrom: from, diedBefore: to, max: GROUPS },
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

function redrive_query(query: URLSearchParams, queue: string, fingerprint: string): URLSearchParams {
  const chosen = new URLSearchParams(query);
  chosen.set('queue', queue);
  chosen.set('fingerprint', fingerprint);
  return chosen;
}

function GroupRow({
  group,
  queue,
  trend,
  mix,
  why_no_trend,
  last_visit,
  on_pick,
  picked,
}: {
  group: DeadLetterGroup;
  queue: string;
  trend?: number[];
  why_no_trend: string; // where there is none
  mix?: { assignees: Map<string, number>; statuses: Map<string, number> };
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
        <button type="button" class="link" data-group={value} aria-expanded={picked} onClick={on_pick}>
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
          <UnknownMark because={why_no_trend} />
        )}
      </td>
      <td title={time_text(group.firstDiedAt)}>{age_text(group.firstDiedAt)}</td>
      <td title={time_text(group.lastDiedAt)}>{age_text(group.lastDiedAt)}</td>
      <td>
        <Mixed of={mix?.assignees} total={group.count} newest={group.sample?.triage?.assignee} empty="nobody" />
      </td>
      <td>
        {mix && mix.statuses.size > 1 ? (
          <Mixed of={mix.statuses} total={group.count} empty="new" />
        ) : (
          <Status of={group.sample?.triage?.status} />
        )}
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
  version,
  touched,
}: {
  last_visit: number | null;
  version: number; // counts what was done here that changes which letters there are
  touched: number; // and what changes how they are
  queue: string;
  filter: DeadLetterFilterInput;
  query: URLSearchParams;
  ask: (wanted: Wanted) => void;
  parking: boolean;
  dead?: number; // undefined: not known yet
}) {
  const [picked, set_picked] = useState<string | null>(null);
  const key = `${queue} ${query}`;
  const groups = use_api(
    key,
    (signal) =>
      call('groupDeadLetters', {
        path: { queue },
        query: { ...filter_of(query), by: 'fingerprint', max: GROUPS },
        signal,
      }),
    { every: 5000, after: of_queue(queue) },
  );
  const timed = filter.diedFrom !== undefined || filter.diedBefore !== undefined;
  const trend = use_api(dead !== undefined && dead <= TREND_LETTERS && !timed ? key : null, (signal) => read_trend(queue, filter, signal), {
    every: 30000,
    after: of_queue(queue),
  });
  const why_no_trend = timed
    ? 'only some of the day is filtered for'
    : (dead ?? 0) > TREND_LETTERS
      ? 'there are too many to count each part of the day'
      : (why_unknown(trend) ?? BEING_READ);
  const mix = use_api(key, (signal) => read_mix(queue, filter, signal), { every: 10000, after: of_queue(queue) });
  useEffect(() => {
    groups.reload();
    mix.reload();
  }, [version, touched]);
  const now = use_store(session);
  const reason = why_not(now, 'operate', queue);
  // What the keys of a list of letters do, for the group whose row has the focus.
  const on_key = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-group]')];
    const at = rows.indexOf((event.target as HTMLElement).closest('tr')?.querySelector<HTMLElement>('[data-group]')!);
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const value = rows[at]?.dataset.group;
    const verb = ({ a: 'assign', n: 'note', x: 'abandon' } as const)[event.key as 'a'];
    if (step !== undefined) rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
    else if (value === undefined || reason) return;
    else if (event.key === 'r') go(`/redrives/new?${redrive_query(query, queue, value)}`);
    else if (verb) ask({ verb, queue, filter: { ...filter, fingerprint: value }, which: `Group ${value.slice(0, 8)}` });
    else return;
    event.preventDefault();
  };
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
      <p class="bar">
        <span class="keys faint">
          <kbd>j</kbd>
          <kbd>k</kbd> move <kbd>enter</kbd> unfold <kbd>a</kbd> assign <kbd>r</kbd> redrive <kbd>x</kbd> abandon
        </span>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Groups" data-keys onKeyDown={on_key}>
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
                    trend={trend.data?.get(value) ?? (trend.data && !trend.error ? NO_TREND : undefined)}
                    why_no_trend={why_no_trend}
                    mix={mix.data?.get(value)}
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
