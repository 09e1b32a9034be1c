// A dead letter queue in numbers: how many, since when, of what kind.
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/client';
import type { AgeBucket, Arrivals, QueueInfo } from '../api/schema';
import { Bars, color_class, COLORS, Legend, OTHERS, Stacked, type Column } from '../parts/charts';
import { Card, Figure, Loading, Select, Tabs, Wrong } from '../parts/controls';
import {
  age_text,
  count_text,
  duration_text,
  iso,
  plural,
  server_now,
  set_server_time,
  short_count,
  time_text,
  word_of,
} from '../parts/format';
import { Text, visible, visible_plain } from '../parts/text';
import { Unknown, why_unknown } from '../parts/unknown';
import { of_queue, use_api } from '../parts/use_api';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function columns_of(arrivals: Arrivals[], unit_ms: number, count: number, names: string[]): Column[] {
  const by_time = new Map(arrivals.map((one) => [Date.parse(one.from!), one]));
  const last = Math.floor(server_now() / unit_ms) * unit_ms;
  return Array.from({ length: count }, (_, i) => {
    const at = last - (count - 1 - i) * unit_ms;
    const found = by_time.get(at);
    const label = unit_ms === HOUR_MS ? iso(at).slice(11, 16) : iso(at).slice(5, 10);
    const parts = names.map((name) => ({ name, count: 0 }));
    const rest = parts.find((one) => one.name === OTHERS);
    for (const category of found?.categories ?? []) {
      const part = parts.find((one) => one.name === (category.value ?? '')) ?? rest;
      if (part) part.count += category.count;
    }
    if (rest) rest.count += found?.otherCategories ?? 0;
    return { label, parts };
  });
}

function main_categories(arrivals: Arrivals[]): string[] {
  const counts = new Map<string, number>();
  for (const one of arrivals)
    for (const { value = '', count } of one.categories ?? []) counts.set(value, (counts.get(value) ?? 0) + count);
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return names.length > COLORS ? [...names.slice(0, COLORS - 1), OTHERS] : names;
}

// Whatever became of them since: what is parked, redriven or discarded has come all the same.
function came_this_hour(hours: Arrivals[]): number {
  const now = Math.floor(server_now() / HOUR_MS) * HOUR_MS;
  return hours.find((one) => Date.parse(one.from!) === now)?.total ?? 0;
}

const category_name = (name: string) => (name === '' ? <span class="faint">none</span> : visible(name));

function Ages({ ages, queue }: { ages: AgeBucket[]; queue: string }) {
  const total = ages.reduce((sum, one) => sum + one.count, 0);
  const endless = (seconds: number) => seconds > 1e9;
  const now = server_now();
  const ago = (seconds: number) => iso(now - seconds * 1000);
  const died_between = ({ from = 0, to = 0 }: AgeBucket) =>
    new URLSearchParams({ ...(endless(to) ? {} : { diedFrom: ago(to) }), ...(from ? { diedBefore: ago(from) } : {}) });
  return (
    <Bars
      total={total}
      label="Dead letters by age"
      rows={ages.map((one) => ({
        name: endless(one.to ?? 0)
          ? `over ${duration_text(one.from ?? 0)}`
          : one.from === 0
            ? `under ${duration_text(one.to ?? 0)}`
            : `${duration_text(one.from ?? 0)} – ${duration_text(one.to ?? 0)}`,
        count: one.count,
        color: 'series-1',
        href: one.count > 0 ? `/dead-letters/${queue}?view=letters&${died_between(one)}` : undefined,
      }))}
    />
  );
}

// How full it is, up to its bound, or to where its alerts call for people.
function Gauge({ info, dead }: { info: QueueInfo; dead: number }) {
  const { maxLength = 0, alerts } = info.options ?? {};
  const marks = [
    {
      at: alerts?.depth,
      what: 'some',
      kind: alerts?.depthTerms?.severity === 'critical' ? 'critical' : 'warning',
    },
    {
      at: alerts?.depthHigh,
      what: 'many',
      kind: alerts?.depthHighTerms?.severity === 'critical' ? 'critical' : 'warning',
    },
    {
      at: alerts?.depthCritical,
      what: 'too many',
      kind: alerts?.depthCriticalTerms?.severity === 'warning' ? 'warning' : 'critical',
    },
    { at: maxLength || undefined, what: 'full', kind: 'critical' },
  ].filter((one): one is { at: number; what: string; kind: string } => typeof one.at === 'number' && one.at > 0);
  if (marks.length === 0) return null;
  const most = Math.max(maxLength || Math.max(...marks.map((one) => one.at)) * 1.25, dead, 1);
  const passed = marks.filter((one) => dead > one.at || (one.what === 'full' && dead >= one.at));
  const worst = passed.some((one) => one.kind === 'critical') ? 'critical' : passed.length > 0 ? 'warning' : 'done';
  const words = marks.map((one) => `${one.what} ${one.what === 'full' ? 'at' : 'above'} ${short_count(one.at)}`);
  const text = `${count_text(dead)} dead letters: ${words.join(', ')}`;
  return (
    <div class="gauge">
      <div
        role="meter"
        aria-label="Depth"
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={dead}
        aria-valuetext={text}
      >
        <svg viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
          <rect class={worst} width={(dead / most) * 1000} height="12" />
          {marks.map((one) => (
            <line class={one.kind} x1={(one.at / most) * 1000} x2={(one.at / most) * 1000} y1="0" y2="12" />
          ))}
        </svg>
      </div>
      <span class="faint">{words.join(' · ')}</span>
    </div>
  );
}

type Shares = 'category' | 'fingerprint' | 'cause' | 'code' | 'source' | 'consumerVersion' | 'assignee' | 'status';
const SHARES = [
  ['category', 'Category'],
  ['fingerprint', 'Reason'],
  ['cause', 'Cause'],
  ['code', 'Code'],
  ['source', 'From queue'],
  ['consumerVersion', 'Consumer version'],
  ['assignee', 'Assignee'],
  ['status', 'Status'],
] as const;

export function Numbers({
  queue,
  info,
  pictures,
  last_visit,
}: {
  queue: string;
  info?: QueueInfo;
  pictures: boolean;
  last_visit: number | null;
}) {
  const [unit, set_unit] = useState<'hours' | 'days'>('hours');
  const [by, set_by] = useState<Shares>('category');
  const after = of_queue(queue);
  const statistics = use_api(
    queue,
    (signal) => call('deadLetterStatistics', { path: { queue }, query: { hours: 48, days: 30 }, signal }),
    { every: 5000, after },
  );
  const shares = use_api(
    pictures ? `${queue} ${by}` : null,
    (signal) => call('groupDeadLetters', { path: { queue }, query: { by, max: 10 }, signal }),
    { every: 5000, after },
  );
  const fresh = use_api(
    last_visit !== null ? `${queue} ${last_visit}` : null,
    async (signal) =>
      (await call('groupDeadLetters', { path: { queue }, query: { by: 'status', diedFrom: iso(last_visit!) }, signal }))
        .total,
    { every: 10000, after },
  );
  const told = statistics.data;
  useEffect(() => {
    if (told?.at) set_server_time(told.at);
  }, [told?.at]);
  if (!told)
    return (
      <>
        <Wrong error={statistics.error} />
        {statistics.loading && <Loading />}
      </>
    );
  const arrivals = (unit === 'hours' ? told.hours : told.days) ?? [];
  const names = main_categories(arrivals);
  const columns = columns_of(arrivals, unit === 'hours' ? HOUR_MS : DAY_MS, unit === 'hours' ? 48 : 30, names);
  return (
    <>
      <dl class="figures">
        <Figure label="Dead letters" value={short_count(told.dead)} kind={told.dead > 0 ? 'dead' : 'good'} />
        <Figure
          label="New since your last visit"
          value={last_visit === null ? '—' : fresh.loading ? '…' : short_count(fresh.data ?? 0)}
          unknown={last_visit === null || fresh.loading ? undefined : why_unknown(fresh)}
          more={
            last_visit === null ? (
              'this is the first one'
            ) : (
              <a href={`/dead-letters/${queue}?view=letters&diedFrom=${iso(last_visit)}`}>
                {age_text(iso(last_visit))}
              </a>
            )
          }
        />
        <Figure
          label="Came this hour"
          value={short_count(came_this_hour(told.hours ?? []))}
          more={`${short_count(told.arrivalsLastMinute)} in the last whole minute`}
        />
        <Figure
          label="Oldest"
          value={told.oldest ? age_text(told.oldest) : '—'}
          more={told.oldest ? time_text(told.oldest) : undefined}
        />
      </dl>
      {info && <Gauge info={info} dead={told.dead} />}
      {pictures && (
        <div class="columns">
          <Card
            title="Arrivals"
            wide
            tools={
              <Tabs
                label="Unit of time"
                value={unit}
                on_change={(one) => set_unit(one as 'hours' | 'days')}
                choices={[
                  ['hours', 'Hours'],
                  ['days', 'Days'],
                ]}
              />
            }
          >
            <Legend names={names} shown={category_name} />
            <Stacked
              columns={columns}
              names={names}
              label={`Dead letters that came by ${unit === 'hours' ? 'hour of the last two days' : 'day of the last 30'}, by category`}
              head={unit === 'hours' ? 'Hour (UTC)' : 'Day (UTC)'}
            />
          </Card>
          <Card
            title="Share"
            tools={<Select label="By" value={by} on_change={(one) => set_by(one as Shares)} choices={SHARES} />}
          >
            {shares.error && <Unknown because={shares.error.message} />}
            {shares.loading && <Loading />}
            {shares.data && (
              <Bars
                total={shares.data.total}
                label="The most frequent"
                rows={(shares.data.groups ?? []).map((group) => {
                  const value = group.value ?? '';
                  const reason = group.sample?.record?.rejection?.reason;
                  return {
                    name:
                      by === 'cause' ? (
                        word_of(value)
                      ) : by === 'fingerprint' ? (
                        <Text of={reason} empty={word_of(group.sample?.record?.cause)} />
                      ) : (
                        category_name(value)
                      ),
                    title: visible_plain(by === 'fingerprint' ? (reason ?? value) : value),
                    count: group.count,
                    color: by === 'category' ? color_class(names, value) : 'series-0',
                    href: `/dead-letters/${queue}?view=letters&${by}=${encodeURIComponent(value)}`,
                  };
                })}
              />
            )}
            {(shares.data?.leftOut ?? 0) > 0 && <p class="faint">and {plural(shares.data!.leftOut, 'more', 'more')}</p>}
          </Card>
          <Card title="Age">
            <Ages ages={told.ages ?? []} queue={queue} />
          </Card>
        </div>
      )}
    </>
  );
}
