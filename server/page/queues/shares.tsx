// The most frequent values of the letters in a dead letter queue, and how old the letters are.
import { call } from '../api/client';
import type { AgeBucket, DeadLetterGroup } from '../api/schema';
import { Bars, color_class } from '../parts/charts';
import { Card, Loading, Select } from '../parts/controls';
import { duration_text, iso, plural, server_now, word_of } from '../parts/format';
import { Text, value_name, visible_plain } from '../parts/text';
import { Unknown } from '../parts/unknown';
import { of_queue, use_api } from '../parts/use_api';
import { category_name } from './arrivals';

export const SHARES = [
  ['category', 'Category'],
  ['fingerprint', 'Reason'],
  ['cause', 'Cause'],
  ['code', 'Code'],
  ['source', 'From queue'],
  ['consumerVersion', 'Consumer version'],
  ['assignee', 'Assignee'],
  ['status', 'Status'],
] as const;
export type Share = (typeof SHARES)[number][0];

const NoneHere = () => <p class="faint">No dead letter is here.</p>;

function name_of(by: Share, { value = '', sample }: DeadLetterGroup) {
  if (by === 'cause') return word_of(value);
  if (by === 'fingerprint')
    return <Text of={sample?.record?.rejection?.reason} empty={word_of(sample?.record?.cause)} />;
  return category_name(value);
}

function title_of(by: Share, { value = '', sample }: DeadLetterGroup): string {
  return visible_plain(by === 'fingerprint' ? (sample?.record?.rejection?.reason ?? value) : value_name(value));
}

interface SharesProps {
  queue: string;
  by: Share;
  set_by: (by: Share) => void;
  categories: string[]; // those of the arrivals, in the order of their colors; empty if nothing has come lately
}

export function SharesCard({ queue, by, set_by, categories }: SharesProps) {
  const shares = use_api(
    `${queue} ${by}`,
    (signal) => call('groupDeadLetters', { path: { queue }, query: { by, max: 10 }, signal }),
    { every: 5000, after: of_queue(queue) },
  );
  const groups = shares.data?.groups ?? [];
  const left_out = shares.data?.leftOut ?? 0;
  const colored = categories.length > 0 ? categories : groups.map((one) => one.value ?? '');
  return (
    <Card
      title="Share"
      tools={<Select label="By" value={by} on_change={(one) => set_by(one as Share)} choices={SHARES} />}
    >
      {shares.error && <Unknown because={shares.error.message} />}
      {shares.loading && <Loading />}
      {shares.data && groups.length === 0 && <NoneHere />}
      {shares.data && groups.length > 0 && (
        <Bars
          total={shares.data.total}
          label="The most frequent"
          rows={groups.map((group) => ({
            name: name_of(by, group),
            title: title_of(by, group),
            count: group.count,
            color: by === 'category' ? color_class(colored, group.value ?? '') : 'series-0',
            href: `/dead-letters/${queue}?view=letters&${by}=${encodeURIComponent(group.value ?? '')}`,
          }))}
        />
      )}
      {left_out > 0 && <p class="faint">and {plural(left_out, 'more', 'more')}</p>}
    </Card>
  );
}

const is_endless = (seconds: number) => seconds > 1e9;

export function age_class_text({ from = 0, to = 0 }: AgeBucket): string {
  if (is_endless(to)) return `${duration_text(from)} and older`;
  if (from === 0) return `younger than ${duration_text(to)}`;
  return `${duration_text(from)} to ${duration_text(to)}`;
}

function died_between({ from = 0, to = 0 }: AgeBucket): URLSearchParams {
  const now = server_now();
  const ago = (seconds: number) => iso(now - seconds * 1000);
  return new URLSearchParams({
    ...(is_endless(to) ? {} : { diedFrom: ago(to) }),
    ...(from ? { diedBefore: ago(from) } : {}),
  });
}

export function AgesCard({ ages, queue }: { ages: AgeBucket[]; queue: string }) {
  const total = ages.reduce((sum, one) => sum + one.count, 0);
  return (
    <Card title="Time since death">
      {total === 0 ? (
        <NoneHere />
      ) : (
        <Bars
          total={total}
          label="Dead letters by the time since they died"
          rows={ages.map((one) => ({
            name: age_class_text(one),
            count: one.count,
            color: 'series-1',
            href: one.count > 0 ? `/dead-letters/${queue}?view=letters&${died_between(one)}` : undefined,
          }))}
        />
      )}
    </Card>
  );
}
