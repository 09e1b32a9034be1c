// ArrivalsCard shows how many dead letters came in each hour or day, by category.
import type { Arrivals } from '../api/schema';
import { COLORS, Legend, OTHERS, Stacked, type Column } from '../parts/charts';
import { Card, Tabs } from '../parts/controls';
import { iso, server_now, short_count } from '../parts/format';
import { value_name, visible } from '../parts/text';

const HOUR_MS = 3_600_000;
const UNITS = {
  hours: { ms: HOUR_MS, count: 48, head: 'Hour (UTC)', label: 'hour of the last two days', span: 'two days' },
  days: { ms: 24 * HOUR_MS, count: 30, head: 'Day (UTC)', label: 'day of the last 30', span: '30 days' },
} as const;
export type Unit = keyof typeof UNITS;

export const category_name = (name: string) =>
  name === '' ? <span class="faint">{value_name(name)}</span> : visible(value_name(name));

// Returns how many letters died in this hour, including those that were parked, redriven or discarded since.
export function died_this_hour(hours: Arrivals[]): number {
  const now = Math.floor(server_now() / HOUR_MS) * HOUR_MS;
  return hours.find((one) => Date.parse(one.from!) === now)?.total ?? 0;
}

const MINUTE_MS = 60_000;

// The last whole minute may belong to the hour before. Its count includes letters that died elsewhere and were parked
// here.
export function last_minute_text({ at, arrivalsLastMinute: came }: { at?: string; arrivalsLastMinute: number }): string {
  const end = Math.floor(Date.parse(at ?? '') / MINUTE_MS) * MINUTE_MS;
  const span = [end - MINUTE_MS, end].map((one) => iso(one).slice(11, 16)).join(' to ');
  return came === 0 ? `none came from ${span} UTC` : `${short_count(came)} came from ${span} UTC, including parked ones`;
}

// Returns the categories that have a color of their own, the most frequent first, and one name for all others.
export function main_categories(arrivals: Arrivals[]): string[] {
  const counts = new Map<string, number>();
  for (const one of arrivals)
    for (const { value = '', count } of one.categories ?? []) counts.set(value, (counts.get(value) ?? 0) + count);
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return names.length > COLORS ? [...names.slice(0, COLORS - 1), OTHERS] : names;
}

function parts_of(found: Arrivals | undefined, names: string[]): Column['parts'] {
  const parts = names.map((name) => ({ name, count: 0 }));
  const rest = parts.find((one) => one.name === OTHERS);
  for (const { value = '', count } of found?.categories ?? []) {
    const part = parts.find((one) => one.name === value) ?? rest;
    if (part) part.count += count;
  }
  if (rest) rest.count += found?.otherCategories ?? 0;
  return parts;
}

function columns_of(arrivals: Arrivals[], unit: Unit, names: string[]): Column[] {
  const { ms, count } = UNITS[unit];
  const by_time = new Map(arrivals.map((one) => [Date.parse(one.from!), one]));
  const last = Math.floor(server_now() / ms) * ms;
  return Array.from({ length: count }, (_, i) => {
    const at = last - (count - 1 - i) * ms;
    const time = unit === 'hours' ? { label: iso(at).slice(11, 16), day: iso(at).slice(0, 10) } : { label: iso(at).slice(5, 10) };
    return { ...time, parts: parts_of(by_time.get(at), names) };
  });
}

interface ArrivalsProps {
  hours: Arrivals[];
  days: Arrivals[];
  unit: Unit;
  set_unit: (unit: Unit) => void;
}

export function ArrivalsCard({ hours, days, unit, set_unit }: ArrivalsProps) {
  const arrivals = unit === 'hours' ? hours : days;
  const names = main_categories(arrivals);
  const { head, label, span } = UNITS[unit];
  const came = arrivals.some((one) => one.total > 0);
  const tabs = (
    <Tabs
      label="Unit of time"
      value={unit}
      on_change={(one) => set_unit(one as Unit)}
      choices={[
        ['hours', 'Hours'],
        ['days', 'Days'],
      ]}
    />
  );
  return (
    <Card title="Arrivals" wide tools={tabs}>
      {came ? (
        <>
          <Legend names={names} shown={category_name} />
          <Stacked
            columns={columns_of(arrivals, unit, names)}
            names={names}
            label={`Dead letters that died by ${label}, by category`}
            head={head}
          />
        </>
      ) : (
        <p>No message has died into this queue in the last {span}.</p>
      )}
      <p class="faint">
        Each letter is counted when it died, whatever became of it since. Letters that were imported or parked here died
        elsewhere and are not counted.
      </p>
    </Card>
  );
}
