// What fails, by what, and when: shares, series and tables, as CSV too.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { DeadLetterFilterInput } from '../api/schema';
import { Lines, Legend, Stacked, type Column, color_class } from '../parts/charts';
import { Button, Card, Check, Loading, Select, Wrong, type Choice } from '../parts/controls';
import { count_text, iso, parse_duration, server_now, word_of } from '../parts/format';
import { dead_letter_queues } from '../parts/routes_graph';
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
const OTHERS = 'others';

interface Told {
  values: string[]; // what is counted, the most frequent first
  parts: { at: number; counts: Map<string, number> }[];
  rows: { value: string; total: number; counts: Map<string, number> }[];
  total: number;
  complete: boolean;
}

type Groups = { groups: Map<string, number>; total: number; complete: boolean };

async function group(
  queue: string,
  by: By,
  filter: DeadLetterFilterInput,
  signal: AbortSignal,
  max = 100,
): Promise<Groups> {
  const told = await call('groupDeadLetters', { path: { queue }, query: { ...filter, by, max }, signal });
  return {
    groups: new Map((told.groups ?? []).map((one) => [one.value ?? '', one.count])),
    total: told.total,
    complete: told.complete,
  };
}

// One call for the whole, one for each part of the time, and one for each row of the table.
async function read(
  queue: string,
  of: By,
  against: By,
  span: string,
  history: boolean,
  signal: AbortSignal,
): Promise<Told> {
  const length = parse_duration(span)! * 1000;
  const parts = SPANS[span][1];
  const end = server_now();
  const filter: DeadLetterFilterInput = { diedFrom: iso(end - length), ...(history ? { history } : {}) };
  const [whole, rows] = await Promise.all([
    group(queue, of, filter, signal),
    group(queue, against, filter, signal, ROWS),
  ]);
  const series = await Promise.all(
    Array.from({ length: parts }, async (_, i) => {
      const at = end - length + (i * length) / parts;
      const counted = await group(
        queue,
        of,
        { ...filter, diedFrom: iso(at), diedBefore: iso(at + length / parts) },
        signal,
      );
      return { at, counts: counted.groups };
    }),
  );
  const table = await Promise.all(
    [...rows.groups].map(async ([value, total]) => ({
      value,
      total,
      counts: (await group(queue, of, { ...filter, [against]: value } as DeadLetterFilterInput, signal)).groups,
    })),
  );
  return { values: [...whole.groups.keys()], parts: series, rows: table, total: whole.total, complete: whole.complete };
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

const name_of = (by: By, value: string) => (by === 'cause' ? word_of(value) : value === '' ? 'none' : value);

function shown_values(told: Told): string[] {
  return told.values.length > COLUMNS ? [...told.values.slice(0, COLUMNS - 1), OTHERS] : told.values;
}

function count_of(counts: Map<string, number>, value: string, values: string[]): number {
  if (value !== OTHERS || counts.has(OTHERS)) return counts.get(value) ?? 0;
  return [...counts].filter(([one]) => !values.includes(one)).reduce((sum, [, count]) => sum + count, 0);
}

function Table({ told, of, against, queue, span }: { told: Told; of: By; against: By; queue: string; span: string }) {
  const values = shown_values(told);
  const export_rows = (): (string | number)[][] => [
    [against, 'all', ...values.map((one) => name_of(of, one))],
    ...told.rows.map((row) => [
      name_of(against, row.value),
      row.total,
      ...values.map((one) => count_of(row.counts, one, values)),
    ]),
  ];
  const link = (value: string, one: string) =>
    `/dead-letters/${queue}?${new URLSearchParams({ view: 'letters', newer: span, [against]: value, ...(one === OTHERS ? {} : { [of]: one }) })}`;
  return (
    <Card
      title={`${BY.find(([one]) => one === of)![1]} against ${BY.find(([one]) => one === against)![1]}`}
      wide
      tools={<Button on_click={() => save_csv(`${queue}-${of}-by-${against}.csv`, export_rows())}>CSV</Button>}
    >
      <div class="scroll" tabIndex={0} role="region" aria-label="Shares">
        <table class="rows cross">
          <thead>
            <tr>
              <th scope="col">{BY.find(([one]) => one === against)![1]}</th>
              <th scope="col" class="number">
                All
              </th>
              {values.map((one) => (
                <th scope="col" class="number">
                  <i class={`swatch ${color_class(values, one)}`} />
                  {visible(name_of(of, one))}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {told.rows.map((row) => (
              <tr>
                <th scope="row">{visible(name_of(against, row.value))}</th>
                <td class="number strong">{count_text(row.total)}</td>
                {values.map((one) => {
                  const count = count_of(row.counts, one, values);
                  return (
                    <td class={count ? 'number' : 'number faint'}>
                      {count ? <a href={link(row.value, one)}>{count_text(count)}</a> : '0'}{' '}
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

function Series({ told, of, queue, span }: { told: Told; of: By; queue: string; span: string }) {
  const [shares, set_shares] = useState(false);
  const values = shown_values(told);
  const label = (at: number) => (parse_duration(span)! > 172800 ? iso(at).slice(5, 10) : iso(at).slice(11, 16));
  const columns: Column[] = told.parts.map((part) => ({
    label: label(part.at),
    parts: values.map((name) => ({ name, count: count_of(part.counts, name, values) })),
  }));
  const sums = columns.map((column) => column.parts.reduce((sum, one) => sum + one.count, 0));
  const export_rows = (): (string | number)[][] => [
    ['from', ...values.map((one) => name_of(of, one))],
    ...told.parts.map((part, i) => [iso(part.at), ...columns[i].parts.map((one) => one.count)]),
  ];
  return (
    <Card
      title={`By time and ${BY.find(([one]) => one === of)![1]}`}
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
        <Stacked columns={columns} names={values} label={`Dead letters over time by ${of}`} head="From (UTC)" />
      )}
    </Card>
  );
}

export function Analytics() {
  const { query } = use_place();
  const queues = use_api('queues', async (signal) => (await call('listQueues', { signal })).queues ?? [], {
    every: 30000,
    after: () => false,
  });
  const names = dead_letter_queues(queues.data ?? [])
    .sort((a, b) => b.counts.dead - a.counts.dead)
    .map((one) => one.name ?? '');
  const queue = query.get('queue') ?? names[0] ?? '';
  const of = (query.get('of') ?? 'category') as By;
  const against = (query.get('against') ?? 'consumerVersion') as By;
  const span = query.get('span') ?? '7d';
  const known_span = span in SPANS ? span : '7d';
  const history = query.get('history') === 'true';
  const told = use_api(
    queue ? `${queue} ${of} ${against} ${known_span} ${history}` : null,
    (signal) => read(queue, of, against, known_span, history, signal),
    { every: 60000, after: (event) => event.target === queue },
  );
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
      {queue === '' && queues.data && <p class="faint">There is no dead letter queue yet.</p>}
      {told.loading && queue !== '' && <Loading />}
      {told.data && (
        <>
          <p>
            {count_text(told.data.total)} dead letters of {visible(queue)} in the {SPANS[known_span][0]}.
            {!told.data.complete && ' Only the first million that may match was looked at.'}
          </p>
          {told.data.total > 0 && (
            <>
              <Table told={told.data} of={of} against={against} queue={queue} span={known_span} />
              <Series told={told.data} of={of} queue={queue} span={known_span} />
            </>
          )}
        </>
      )}
    </>
  );
}
