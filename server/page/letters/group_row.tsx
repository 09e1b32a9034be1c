// GroupRow shows a group of failures that look alike, as a row of a table.
import type { DeadLetterGroup } from '../api/schema';
import { Spark } from '../parts/charts';
import { Badge, Status } from '../parts/controls';
import { age_text, count_text, short_count, time_text, word_of } from '../parts/format';
import { Text, visible_plain } from '../parts/text';
import { UnknownMark } from '../parts/unknown';
import type { Shares } from './group_reads';

interface MixedProps {
  of?: Map<string, number>;
  total: number;
  newest?: string;
  empty: string;
}

// Shows the value that all letters of the group have, or how many letters have each value.
function Mixed({ of, total, newest, empty }: MixedProps) {
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

interface GroupRowProps {
  group: DeadLetterGroup;
  queue: string;
  trend?: number[];
  why_no_trend: string; // shown if there is no trend
  mix?: Shares;
  last_visit: number | null;
  on_pick: () => void;
  picked: boolean;
}

function Reason({ group, is_new, picked, on_pick }: GroupRowProps & { is_new: boolean }) {
  const record = group.sample?.record;
  const value = group.value ?? '';
  return (
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
  );
}

export function GroupRow(props: GroupRowProps) {
  const { group, queue, trend, why_no_trend, mix, last_visit, picked } = props;
  const triage = group.sample?.triage;
  const is_new = last_visit !== null && Date.parse(group.firstDiedAt ?? '') > last_visit;
  return (
    <tr class={picked ? 'picked' : ''}>
      <td class="number strong">{short_count(group.count)}</td>
      <Reason {...props} is_new={is_new} />
      <td>
        {trend ? (
          <Spark values={trend} label={`in the last day, in six parts: ${trend.join(', ')}`} />
        ) : (
          <UnknownMark because={why_no_trend} />
        )}
      </td>
      <td title={time_text(group.firstDiedAt)}>{age_text(group.firstDiedAt)}</td>
      <td title={time_text(group.lastDiedAt)}>{age_text(group.lastDiedAt)}</td>
      <td class="who">
        <Mixed of={mix?.assignees} total={group.count} newest={triage?.assignee} empty="nobody" />
      </td>
      <td class="who">
        {mix && mix.statuses.size > 1 ? (
          <Mixed of={mix.statuses} total={group.count} empty="new" />
        ) : (
          <Status of={triage?.status} />
        )}
      </td>
      <td>
        <a href={`/dead-letters/${queue}/${group.sample?.id}`}>newest</a> ·{' '}
        <a href={`/dead-letters/${queue}?view=letters&fingerprint=${group.value ?? ''}`}>all</a>
      </td>
    </tr>
  );
}
