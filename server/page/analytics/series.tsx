// Series charts one property over time.
import { useState } from 'preact/hooks';
import { Legend, Lines, Stacked, type Column } from '../parts/charts';
import { Button, Card, Check } from '../parts/controls';
import { iso, parse_duration } from '../parts/format';
import { visible, visible_plain } from '../parts/text';
import { columns_of, count_of } from './columns';
import { save_csv } from './csv';
import { label_of, name_of, type By, type Question } from './question';
import type { Told } from './read';

const DAY = 86_400; // seconds

function label_of_part(at: number, span: string, parts: number): Pick<Column, 'label' | 'day'> {
  const part = parse_duration(span)! / parts;
  const time = iso(at);
  return part >= DAY ? { label: time.slice(5, 10) } : { label: time.slice(11, 16), day: time.slice(0, 10) };
}

function series_csv(told: Told, { of }: Question): (string | number)[][] {
  const values = columns_of(told, true);
  return [
    ['from', ...values.map((one) => name_of(of, one))],
    ...told.parts.map((part) => [iso(part.at), ...values.map((one) => count_of(part.counts, part.total, one, values))]),
  ];
}

// Formats a time like "11-24 09:30".
const short_time = (seconds: number): string =>
  iso(seconds * 1000)
    .slice(5, 16)
    .replace('T', ' ');

interface PictureProps {
  told: Told;
  of: By;
  values: string[];
  columns: Column[];
}

function Shares({ told, of, values, columns }: PictureProps) {
  const sums = columns.map((column) => column.parts.reduce((sum, one) => sum + one.count, 0));
  return (
    <Lines
      x={told.parts.map((part) => part.at / 1000)}
      x_is_time
      x_text={short_time}
      y_text={(share) => `${share.toFixed(0)} %`}
      label={`Share of each ${label_of(of)} over time`}
      lines={values.map((name, v) => ({
        name: visible_plain(name_of(of, name)),
        values: columns.map((column, i) => (sums[i] === 0 ? null : (column.parts[v].count / sums[i]) * 100)),
      }))}
    />
  );
}

export function Series({ told, question }: { told: Told; question: Question }) {
  const { queue, of, span } = question;
  const [shares, set_shares] = useState(false);
  const values = columns_of(told, false);
  const columns = told.parts.map((part) => ({
    ...label_of_part(part.at, span, told.parts.length),
    parts: values.map((name) => ({ name, count: count_of(part.counts, part.total, name, values) })),
  }));
  const tools = (
    <>
      <Check label="As shares" value={shares} on_change={set_shares} />
      <Button on_click={() => save_csv(`${queue}-${of}-by-time.csv`, series_csv(told, question))}>CSV</Button>
    </>
  );
  return (
    <Card title={`By time and ${label_of(of)}`} wide tools={tools}>
      <Legend names={values} shown={(one) => visible(name_of(of, one))} />
      {shares ? (
        <Shares told={told} of={of} values={values} columns={columns} />
      ) : (
        <Stacked
          columns={columns}
          names={values}
          label={`Dead letters over time by ${label_of(of)}`}
          head="From (UTC)"
          shown={(one) => name_of(of, one)}
        />
      )}
    </Card>
  );
}
