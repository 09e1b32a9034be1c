// What fails, by what, and when: shares, series and tables, as CSV too.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { DeadLetterFilterInput } from '../api/schema';
import { Lines, Legend, Stacked, type Column, color_class } from '../parts/charts';
import { Button, Card, Check, Loading, say_wrong, Select, Wrong, type Choice } from '../parts/controls';
import { count_text, iso, parse_duration, server_now, word_of } from '../parts/format';
import { knows_all, session } from '../api/session';
import { use_queues } from '../queues/queues';
import { use_store } from '../store';
import { dead_letter_queues } from '../queues/routes_graph';
import { visible, visible_plain } from '../parts/text';
import { use_api } from '../parts/use_api';
import { change_query, use_place } from '../router';

type By = 'category' | 'cause' | 'code' | 'source' | 'consumerVersion' | 'assignee' | 'status';
const BY: readonly Choice[] = [
  ['category', 'category'],
  ['cause', 'cause'],
  ['code', 'code'],
  ['source', 'source queue'],
  ['consumerVersion', 'consumer version'],
  ['assignee', 'assignee'],
  ['status', 'status'],
];
const SPANS: Record<string, [text: string, parts: number]> = {
  '1h': ['last hour', 12],
  '6h': ['last 6 hours', 12],
  '1d': ['last day', 24],
  '7d': ['last 7 days', 14],
  '30d': ['last 30 days', 30],
};
const ROWS = 12;
const COLUMNS = 8;
const MOST = 1000; // values that the server tells of, the most frequent
const AT_ONCE = 6; // calls that run side by side

// Stands for what has no row or column of its own: no value of the API has a line end.
const OTHERS = '\nothers';

type Counts = Map<string, number>;

interface Told {
  values: string[]; // what is counted, the most frequent first
  left_out: number; // values that the server did not tell of
  parts: { at: number; total: number; counts: Counts }[];
  rows: Row[];
  rows_left_out: number; // rows that are not here
  whole: Counts; // of all rows, also those that are not here
  total: number;
  complete: boolean;
}

interface Row {
  value: string;
  total: number;
  counts: Counts;
}

interface Question {
  queue: string;
  of: By;
  against: By;
  span: string;
  history: boolean;
  all: boolean; // every row and column, not the most frequent
}

async function group(queue: string, by: By, filter: DeadLetterFilterInput, signal?: AbortSignal) {
  const told = await call('groupDeadLetters', { path: { queue }, query: { ...filter, by, max: MOST }, signal });
  const groups: Counts = new Map((told.groups ?? []).map((one) => [one.value ?? '', one.count]));
  return { groups, left_out: told.leftOut, total: told.total, complete: told.complete };
}

// In the order of `items`, a few at a time.
async function map_in_turns<T, U>(items: readonly T[], work: (item: T) => Promise<U>): Promise<U[]> {
  const made: U[] = Array(items.length);
  let next = 0;
  const one_after_another = async () => {
    for (let at = next++; at < items.length; at = next++) made[at] = await work(items[at]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one_after_another));
  return made;
}

const with_value = (filter: DeadLetterFilterInput, by: By, value: string) =>
  ({ ...filter, [by]: value }) as DeadLetterFilterInput;

// How many of each row have each value: asked for by row or by value, whichever there are fewer of.
async function read_rows(
  { queue, of, against }: Question,
  filter: DeadLetterFilterInput,
  rows: [string, number][],
  values: string[],
  signal?: AbortSignal,
): Promise<Row[]> {
  if (rows.length <= values.length)
    return map_in_turns(rows, async ([value, total]) => ({
      value,
      total,
      counts: (await group(queue, of, with_value(filter, against, value), signal)).groups,
    }));
  const columns = await map_in_turns(values, (one) => group(queue, against, with_value(filter, of, one), signal));
  return rows.map(([value, total]) => ({
    value,
    total,
    counts: new Map(values.map((one, i) => [one, columns[i]!.groups.get(value) ?? 0])),
  }));
}

// One call for each axis, one for each part of the time, and one for each row of the table.
async function read(question: Question, signal?: AbortSignal): Promise<Told> {
  const { queue, of, against, span, history, all } = question;
  const length = parse_duration(span)! * 1000;
  const parts = SPANS[span]![1];
  const end = server_now();
  const filter: DeadLetterFilterInput = { diedFrom: iso(end - length), ...(history ? { history } : {}) };
  const [whole, sides] = await Promise.all([group(queue, of, filter, signal), group(queue, against, filter, signal)]);
  const times = Array.from({ length: parts }, (_, i) => end - length + (i * length) / parts);
  const series = await map_in_turns(times, async (at) => {
    const time = { ...filter, diedFrom: iso(at), diedBefore: iso(at + length / parts) };
    const { groups, total } = await group(queue, of, time, signal);
    return { at, total, counts: groups };
  });
  const values = [...whole.groups.keys()];
  const rows = [...sides.groups].slice(0, all ? MOST : ROWS);
  return {
    values,
    left_out: whole.left_out,
    parts: series,
    rows: await read_rows(question, filter, rows, values, signal),
    rows_left_out: sides.groups.size - rows.length + sides.left_out,
    whole: whole.groups,
    total: whole.total,
    complete: whole.complete && sides.complete,
  };
}

// A spreadsheet takes what begins so for a formula.
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function save_csv(name: string, rows: (string | number)[][]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(
    new Blob([rows.map((row) => row.map(cell).join(',')).join('\r\n') + '\r\n'], { type: 'text/csv' }),
  );
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

const label_of = (by: By) => BY.find(([one]) => one === by)![1];

function name_of(by: By, value: string): string {
  if (value === OTHERS) return 'others';
  return by === 'cause' ? word_of(value) : value === '' ? 'none' : value;
}

// The columns: the most frequent values, and one for all others, of which there is one exactly if values are left out.
function columns_of({ values, left_out }: Told, all: boolean): string[] {
  const shown = !all && values.length > COLUMNS ? values.slice(0, COLUMNS - 1) : values;
  return shown.length < values.length || left_out > 0 ? [...shown, OTHERS] : shown;
}

// The others are what no column has. What dies between two calls may be in one of them alone.
function count_of(counts: Counts, total: number, value: string, columns: string[]): number {
  if (value !== OTHERS) return counts.get(value) ?? 0;
  const counted = columns.reduce((sum, one) => sum + (one === OTHERS ? 0 : (counts.get(one) ?? 0)), 0);
  return Math.max(0, total - counted);
}

// One row for all that have none: what is left of the whole.
function other_row({ rows, rows_left_out, whole, total }: Told): Row | null {
  if (rows_left_out === 0) return null;
  const rest = new Map(whole);
  for (const row of rows)
    for (const [value, count] of row.counts) rest.set(value, Math.max(0, (rest.get(value) ?? 0) - count));
  const counted = rows.reduce((sum, row) => sum + row.total, 0);
  return { value: OTHERS, total: Math.max(0, total - counted), counts: rest };
}

function cross_csv(told: Told, { of, against }: Question): (string | number)[][] {
  const columns = columns_of(told, true);
  const rest = other_row(told);
  return [
    [against, 'all', ...columns.map((one) => name_of(of, one))],
    ...[...told.rows, ...(rest ? [rest] : [])].map((row) => [
      name_of(against, row.value),
      row.total,
      ...columns.map((one) => count_of(row.counts, row.total, one, columns)),
    ]),
  ];
}

function Table({ told, question }: { told: Told; question: Question }) {
  const { queue, of, against, span, history, all } = question;
  const [busy, set_busy] = useState(false);
  const columns = columns_of(told, all);
  const rest = other_row(told);
  const hidden_columns = told.values.length + told.left_out - columns.filter((one) => one !== OTHERS).length;
  const letters = (row: string, one: string) =>
    `/dead-letters/${queue}?${new URLSearchParams({ view: 'letters', newer: span, ...(history ? { history: 'true' } : {}), [against]: row, [of]: one })}`;
  const unfolded = `/analytics?${new URLSearchParams({ queue, of, against, span, ...(history ? { history: 'true' } : {}), all: 'true' })}`;
  const head = (by: By, value: string, count: number) =>
    value !== OTHERS ? visible(name_of(by, value)) : all ? `${count} others` : <a href={unfolded}>{count} others</a>;
  // All of them, also those that the table folds.
  const save = async () => {
    set_busy(true);
    try {
      const whole = all ? told : await read({ ...question, all: true });
      save_csv(`${queue}-${of}-by-${against}.csv`, cross_csv(whole, question));
    } catch (failure) {
      say_wrong(failure);
    }
    set_busy(false);
  };
  return (
    <Card
      title={`${label_of(of)} against ${label_of(against)}`}
      wide
      tools={
        <>
          {(all || rest || columns.includes(OTHERS)) && (
            <Check
              label="All, not the most frequent"
              value={all}
              on_change={(on) => change_query({ all: on ? 'true' : null })}
            />
          )}
          <Button busy={busy} on_click={() => void save()}>
            CSV
          </Button>
        </>
      }
    >
      <div class="scroll" tabIndex={0} role="region" aria-label="Shares">
        <table class="rows cross">
          <thead>
            <tr>
              <th scope="col">{label_of(against)}</th>
              <th scope="col" class="number">
                All
              </th>
              {columns.map((one) => (
                <th scope="col" class="number">
                  <i class={`swatch ${color_class(columns, one)}`} />
                  {head(of, one, hidden_columns)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...told.rows, ...(rest ? [rest] : [])].map((row) => (
              <tr>
                <th scope="row">{head(against, row.value, told.rows_left_out)}</th>
                <td class="number strong">{count_text(row.total)}</td>
                {columns.map((one) => {
                  const count = count_of(row.counts, row.total, one, columns);
                  const is_folded = one === OTHERS || row.value === OTHERS;
                  return (
                    <td class={count ? 'number' : 'number faint'}>
                      {!count ? (
                        '0'
                      ) : !is_folded ? (
                        <a href={letters(row.value, one)}>{count_text(count)}</a>
                      ) : all ? (
                        count_text(count)
                      ) : (
                        <a href={unfolded}>{count_text(count)}</a>
                      )}{' '}
                      <span class="faint share">{row.total ? `${((count / row.total) * 100).toFixed(0)} %` : ''}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

function Series({ told, question }: { told: Told; question: Question }) {
  const { queue, of, span } = question;
  const [shares, set_shares] = useState(false);
  const values = columns_of(told, false);
  const all_values = columns_of(told, true);
  const label = (at: number) => (parse_duration(span)! > 172800 ? iso(at).slice(5, 10) : iso(at).slice(11, 16));
  const columns: Column[] = told.parts.map((part) => ({
    label: label(part.at),
    parts: values.map((name) => ({ name, count: count_of(part.counts, part.total, name, values) })),
  }));
  const sums = columns.map((column) => column.parts.reduce((sum, one) => sum + one.count, 0));
  const export_rows = (): (string | number)[][] => [
    ['from', ...all_values.map((one) => name_of(of, one))],
    ...told.parts.map((part) => [
      iso(part.at),
      ...all_values.map((one) => count_of(part.counts, part.total, one, all_values)),
    ]),
  ];
  return (
    <Card
      title={`By time and ${label_of(of)}`}
      wide
      tools={
        <>
          <Check label="As shares" value={shares} on_change={set_shares} />
          <Button on_click={() => save_csv(`${queue}-${of}-by-time.csv`, export_rows())}>CSV</Button>
        </>
      }
    >
      <Legend names={values} shown={(one) => visible(name_of(of, one))} />
      {shares ? (
        <Lines
          x={told.parts.map((part) => part.at / 1000)}
          x_is_time
          x_text={(at) =>
            iso(at * 1000)
              .slice(5, 16)
              .replace('T', ' ')
          }
          y_text={(share) => `${share.toFixed(0)} %`}
          label={`Share of each ${of} over time`}
          lines={values.map((name, v) => ({
            name: visible_plain(name_of(of, name)),
            values: columns.map((column, i) => (sums[i] === 0 ? null : (column.parts[v].count / sums[i]) * 100)),
          }))}
        />
      ) : (
        <Stacked
          columns={columns}
          names={values}
          label={`Dead letters over time by ${of}`}
          head="From (UTC)"
          shown={(one) => name_of(of, one)}
        />
      )}
    </Card>
  );
}

export function Analytics() {
  const { query } = use_place();
  const now = use_store(session);
  const queues = use_queues();
  const names = dead_letter_queues(queues.data ?? [])
    .sort((a, b) => b.counts.dead - a.counts.dead)
    .map((one) => one.name ?? '');
  const queue = query.get('queue') ?? names[0] ?? '';
  const of = (query.get('of') ?? 'category') as By;
  const against = (query.get('against') ?? 'consumerVersion') as By;
  const span = query.get('span') ?? '7d';
  const known_span = span in SPANS ? span : '7d';
  const history = query.get('history') === 'true';
  const all = query.get('all') === 'true';
  const question: Question = { queue, of, against, span: known_span, history, all };
  const told = use_api(queue ? JSON.stringify(question) : null, (signal) => read(question, signal), {
    every: 60000,
    after: (event) => event.target === queue,
  });
  return (
    <>
      <h1>Analytics</h1>
      <Card title="Question" wide>
        <div class="form">
          <Select
            label="Dead letter queue"
            value={queue}
            on_change={(one) => change_query({ queue: one })}
            choices={(names.includes(queue) || !queue ? names : [queue, ...names]).map((one) => [one, one] as const)}
          />
          <Select label="Share of each" value={of} on_change={(one) => change_query({ of: one })} choices={BY} />
          <Select label="By" value={against} on_change={(one) => change_query({ against: one })} choices={BY} />
          <Select
            label="Died"
            value={known_span}
            on_change={(one) => change_query({ span: one })}
            choices={Object.entries(SPANS).map(([one, [text]]) => [one, text] as const)}
          />
          <Check
            label="With history: what was redriven or discarded since"
            value={history}
            on_change={(on) => change_query({ history: on ? 'true' : null })}
          />
        </div>
      </Card>
      <Wrong error={told.error ?? queues.error} />
      {queue === '' && queues.data && (
        <p class="faint">
          {knows_all(now) ? 'There is no dead letter queue yet.' : 'There is no dead letter queue that this token may see.'}
        </p>
      )}
      {told.loading && queue !== '' && <Loading />}
      {told.data && (
        <>
          <p>
            {count_text(told.data.total)} dead letters of {visible(queue)} in the {SPANS[known_span][0]}.
            {!told.data.complete && ' Only the first million that may match was looked at.'}
          </p>
          {told.data.total > 0 && (
            <>
              <Table told={told.data} question={question} />
              <Series told={told.data} question={question} />
            </>
          )}
        </>
      )}
    </>
  );
}
