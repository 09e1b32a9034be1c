// Failures that look alike, the most frequent first.
import { Fragment, type JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/client';
import { filter_of } from './filter_query';
import type { DeadLetterFilterInput, DeadLetterGroup } from '../api/schema';
import { Loading, Wrong } from '../parts/controls';
import type { Wanted } from './bulk_verbs';
import { plural } from '../parts/format';
import { use_store } from '../store';
import { BEING_READ, why_unknown } from '../parts/unknown';
import { of_queue, use_api } from '../parts/use_api';
import { GROUPS, NO_TREND, read_mix, read_trend } from './group_reads';
import { GroupRow } from './group_row';
import { Actions } from './letter_actions';
import { session, why_not } from '../api/session';
import { go } from '../router';

const TREND_LETTERS = 200_000; // with more letters groups have no trend, since counting each part would take too long

interface GroupsProps {
  last_visit: number | null;
  version: number; // counts the actions here that changed which letters there are
  touched: number; // counts the actions here that changed letters without removing them
  queue: string;
  filter: DeadLetterFilterInput;
  query: URLSearchParams;
  ask: (wanted: Wanted) => void;
  parking: boolean;
  dead?: number; // undefined: not known yet
}

function of_group(query: URLSearchParams, fingerprint: string): URLSearchParams {
  const chosen = new URLSearchParams(query);
  chosen.set('fingerprint', fingerprint);
  return chosen;
}

const name_of = (fingerprint: string) => `Group ${fingerprint.slice(0, 8)}`;

function use_groups({ queue, query, filter, version, touched }: GroupsProps) {
  const key = `${queue} ${query}`;
  const after = of_queue(queue);
  const read_groups = (signal: AbortSignal) => {
    const wanted = { ...filter_of(query), by: 'fingerprint', max: GROUPS } as const;
    return call('groupDeadLetters', { path: { queue }, query: wanted, signal });
  };
  const groups = use_api(key, read_groups, { every: 5000, after });
  const mix = use_api(key, (signal) => read_mix(queue, filter, signal), { every: 10000, after });
  useEffect(() => {
    groups.reload();
    mix.reload();
  }, [version, touched]);
  return { groups, mix };
}

// Reads when the letters of each group died, or says why that is not shown.
function use_trend({ queue, query, filter, dead }: GroupsProps) {
  const timed = filter.diedFrom !== undefined || filter.diedBefore !== undefined;
  const is_told = dead !== undefined && dead <= TREND_LETTERS && !timed;
  const read = (signal: AbortSignal) => read_trend(queue, filter, signal);
  const trend = use_api(is_told ? `${queue} ${query}` : null, read, { every: 30000, after: of_queue(queue) });
  const why_none = timed
    ? 'the filter covers only a part of the day'
    : (dead ?? 0) > TREND_LETTERS
      ? 'there are too many to count each part of the day'
      : (why_unknown(trend) ?? BEING_READ);
  const of = (fingerprint: string) => trend.data?.get(fingerprint) ?? (trend.data && !trend.error ? NO_TREND : undefined);
  return { of, why_none };
}

const VERBS = { a: 'assign', n: 'note', x: 'abandon' } as const;

// Makes the keys of the list of letters work for the group whose row has the focus.
function use_group_keys({ queue, query, filter, ask }: GroupsProps) {
  const reason = why_not(use_store(session), 'operate', queue);
  return (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-group]')];
    const at = rows.indexOf((event.target as HTMLElement).closest('tr')?.querySelector<HTMLElement>('[data-group]')!);
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const value = rows[at]?.dataset.group;
    const verb = VERBS[event.key as keyof typeof VERBS];
    if (step !== undefined) rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
    else if (value === undefined || reason) return;
    else if (event.key === 'r') go(`/redrives/new?queue=${queue}&${of_group(query, value)}`);
    else if (verb) ask({ verb, queue, filter: { ...filter, fingerprint: value }, which: name_of(value) });
    else return;
    event.preventDefault();
  };
}

const Head = () => (
  <thead>
    <tr>
      <th scope="col" class="number">
        Count
      </th>
      {['Reason', 'Last day', 'First', 'Last', 'Assignee', 'Status', 'Letters'].map((one) => (
        <th scope="col">{one}</th>
      ))}
    </tr>
  </thead>
);

const Keys = () => (
  <p class="bar">
    <span class="keys faint">
      <kbd>j</kbd>
      <kbd>k</kbd> move <kbd>enter</kbd> unfold <kbd>a</kbd> assign <kbd>r</kbd> redrive <kbd>x</kbd> abandon
    </span>
  </p>
);

function Unfolded({ of: { queue, filter, query, ask, parking }, value }: { of: GroupsProps; value: string }) {
  return (
    <tr class="picked">
      <td colSpan={8}>
        <Actions
          {...{ queue, ask, parking }}
          filter={{ ...filter, fingerprint: value }}
          query={of_group(query, value)}
          which={name_of(value)}
        />
      </td>
    </tr>
  );
}

export function Groups(props: GroupsProps) {
  const { queue, query, last_visit } = props;
  const [picked, set_picked] = useState<string | null>(null);
  const { groups, mix } = use_groups(props);
  const trend = use_trend(props);
  const on_key = use_group_keys(props);
  if (!groups.data)
    return (
      <>
        <Wrong error={groups.error} />
        {groups.loading && <Loading />}
      </>
    );
  const { groups: all = [], leftOut, complete } = groups.data;
  if (all.length === 0) return <p class="faint">No dead letter {query.size > 0 ? 'matches' : 'is here'}.</p>;
  const row = (group: DeadLetterGroup) => {
    const value = group.value ?? '';
    return (
      <Fragment key={value}>
        <GroupRow
          {...{ group, queue, last_visit }}
          trend={trend.of(value)}
          why_no_trend={trend.why_none}
          mix={mix.data?.get(value)}
          picked={picked === value}
          on_pick={() => set_picked(picked === value ? null : value)}
        />
        {picked === value && <Unfolded of={props} value={value} />}
      </Fragment>
    );
  };
  return (
    <>
      <Wrong error={groups.error} />
      <Keys />
      <div class="scroll" tabIndex={0} role="region" aria-label="Groups" data-keys onKeyDown={on_key}>
        <table class="rows groups">
          <Head />
          <tbody>{all.map(row)}</tbody>
        </table>
      </div>
      {leftOut > 0 && <p class="faint">And {plural(leftOut, 'smaller group')}.</p>}
      {!complete && <p class="faint">Only the first million that may match were looked at.</p>}
    </>
  );
}
