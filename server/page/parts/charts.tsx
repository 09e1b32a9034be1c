// Charts. Each of them also has its numbers as a table, for people who cannot see the chart.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { axis_end } from './axis_end';
import { day_marks } from './day_marks';
import { count_text, short_count } from './format';
import { theme } from './theme';
import { use_store } from '../store';
import { value_name, visible, visible_plain } from './text';

export const COLORS = 8; // how many colors the style sheet has: --series-0 ...
export const OTHERS = 'others';

// Equal names have equal colours wherever they are on the page.
export function color_class(names: readonly string[], name: string): string {
  const at = names.indexOf(name);
  return at < 0 || at >= COLORS ? 'series-rest' : `series-${at}`;
}

function Numbers({ head, rows }: { head: string[]; rows: (string | number)[][] }) {
  return (
    <details class="numbers">
      <summary>Numbers</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label="Numbers">
        <table>
          <thead>
            <tr>
              {head.map((one) => (
                <th scope="col">{visible(one)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr>
                {row.map((one) => (
                  <td>{typeof one === 'number' ? count_text(one) : visible(one)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function Spark({ values, label }: { values: number[]; label: string }) {
  const most = Math.max(...values, 1e-9);
  const step = 72 / Math.max(values.length - 1, 1);
  const points = values
    .map((value, i) => `${(i * step).toFixed(1)},${(19 - (value / most) * 17).toFixed(1)}`)
    .join(' ');
  return (
    <svg class="spark" viewBox="0 0 72 20" role="img" aria-label={label}>
      <line class="base" x1="0" x2="72" y1="19" y2="19" />
      {values.length > 1 && <polyline points={points} />}
    </svg>
  );
}

export interface Column {
  label: string; // the text below the column
  day?: string; // the day that the column belongs to, shown below the first column of the day
  parts: { name: string; count: number }[];
}

const HEIGHT = 150;

const AXIS = 18;
const DAYS = 15; // the height of a second line
const name_of = ({ label, day }: Column) => (day ? `${day} ${label}` : label);

export function Legend({ names, shown }: { names: readonly string[]; shown: (name: string) => ComponentChildren }) {
  return (
    <ul class="legend">
      {names.map((name) => (
        <li>
          <i class={`swatch ${color_class(names, name)}`} />
          {shown(name)}
        </li>
      ))}
    </ul>
  );
}

// Stacked shows a chart of columns. Each column is a stack of parts.
export function Stacked({
  columns,
  names,
  label,
  head,
  shown = value_name,
}: {
  columns: Column[];
  names: readonly string[];
  label: string;
  head: string;
  shown?: (name: string) => string;
}) {
  const [width, set_width] = useState(600);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => set_width(Math.max(200, Math.floor(entry.contentRect.width))));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const sums = columns.map((column) => column.parts.reduce((sum, one) => sum + one.count, 0));
  const most = axis_end(Math.max(...sums));
  const left = 8 + short_count(most).length * 7;
  const step = (width - left) / Math.max(columns.length, 1);
  const every = Math.ceil(46 / step);
  const days = day_marks(columns.map((one) => one.day), step);
  const y = (count: number) => HEIGHT - (count / most) * (HEIGHT - 10);
  return (
    <div ref={box} class="chart">
      <svg width={width} height={HEIGHT + AXIS + (days.length > 0 ? DAYS : 0)} role="img" aria-label={label}>
        {[0, 0.5, 1].map((share) => (
          <g class="grid">
            <line x1={left} x2={width} y1={y(most * share)} y2={y(most * share)} />
            <text x={left - 5} y={y(most * share) + 4} text-anchor="end">
              {short_count(most * share)}
            </text>
          </g>
        ))}
        {columns.map((column, i) => {
          let at = 0;
          return (
            <g>
              <title>
                {`${name_of(column)}: ${count_text(sums[i])}\n` +
                  column.parts
                    .filter((one) => one.count > 0)
                    .map((one) => `${visible_plain(shown(one.name))} ${count_text(one.count)}`)
                    .join('\n')}
              </title>
              <rect class="hit" x={left + i * step} y={0} width={step} height={HEIGHT} />
              {column.parts.map((one) => {
                const [from, to] = [y(at), y((at += one.count))];
                return (
                  one.count > 0 && (
                    <rect
                      class={color_class(names, one.name)}
                      x={left + i * step + step * 0.12}
                      width={step * 0.76}
                      y={to}
                      height={Math.max(from - to, 0.5)}
                    />
                  )
                );
              })}
              {i % every === 0 && (
                <text x={left + (i + 0.5) * step} y={HEIGHT + 14} text-anchor="middle">
                  {column.label}
                </text>
              )}
            </g>
          );
        })}
        {days.map(({ at, x }) => (
          <text class="day" x={left + x} y={HEIGHT + AXIS + 10}>
            {columns[at]!.day}
          </text>
        ))}
      </svg>
      <Numbers
        head={[head, 'All', ...names.map(shown)]}
        rows={columns.map((column, i) => [
          name_of(column),
          sums[i],
          ...names.map((name) => column.parts.find((one) => one.name === name)?.count ?? 0),
        ])}
      />
    </div>
  );
}

interface BarRow {
  name: ComponentChildren;
  count: number;
  shown?: string; // shown instead of the count
  color?: string;
  href?: string;
  title?: string;
}

export function Bars({ rows, total, label }: { rows: BarRow[]; total: number; label: string }) {
  const most = Math.max(...rows.map((one) => one.count), 1e-9);
  return (
    <table class="bars" aria-label={label}>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row" title={row.title}>
              {row.href ? <a href={row.href}>{row.name}</a> : row.name}
            </th>
            <td class="bar-cell">
              <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect class={row.color ?? 'series-0'} width={(row.count / most) * 100} height="10" />
              </svg>
            </td>
            <td class="number">{row.shown ?? count_text(row.count)}</td>
            <td class="number faint">
              {total > 0 && row.count > 0
                ? `${((row.count / total) * 100).toFixed(row.count / total < 0.1 ? 1 : 0)} %`
                : ''}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface Line {
  name: string;
  values: (number | null)[];
}

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

interface LinesProps {
  x: number[];
  lines: Line[];
  label: string;
  x_is_time?: boolean;
  x_text?: (value: number) => string;
  y_text?: (value: number) => string;
  x_title?: string;
  steps?: boolean;
}

// TIME_STEPS are the possible seconds between two ticks of a time axis, from one second to a year.
const TIME_STEPS = [1, 2, 5, 10, 15, 30]
  .flatMap((one) => [one, one * 60])
  .concat([1, 2, 3, 6, 12, 24, 48, 168, 720, 8760].map((hours) => hours * 3600))
  .sort((a, b) => a - b);

const ONE_POINT_S = 30; // the length of a time axis with a single point, which would otherwise be a day

function time_range(plot: uPlot, from: number | null, to: number | null): uPlot.Range.MinMax {
  return plot.data[0].length === 1 && from !== null ? [from, from + ONE_POINT_S] : [from, to];
}

function options_of({ lines, x_is_time, x_text, y_text, x_title, steps }: LinesProps, width: number): uPlot.Options {
  const axis = {
    stroke: css('--faint'),
    grid: { stroke: css('--line'), width: 1 },
    ticks: { stroke: css('--line'), width: 1 },
    font: '11px system-ui',
  };
  return {
    width,
    height: 220,
    legend: { live: true },
    cursor: { y: false },
    tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { x: { time: x_is_time === true, ...(x_is_time ? { range: time_range } : {}) }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        label: x_title,
        labelFont: '11px system-ui',
        labelSize: 18,
        ...(x_is_time ? { incrs: TIME_STEPS } : {}),
        ...(x_text ? { values: (_, ticks) => ticks.map(x_text) } : {}),
      },
      { ...axis, size: 58, ...(y_text ? { values: (_, ticks) => ticks.map(y_text) } : {}) },
    ],
    series: [
      {
        label: x_title ?? 'Time',
        ...(x_text ? { value: (_: uPlot, value: number | null) => (value === null ? '—' : x_text(value)) } : {}),
      },
      ...lines.map((line, i) => ({
        label: line.name,
        stroke: css(`--series-${i % COLORS}`),
        width: 2,
        points: { show: line.values.length < 40, size: 5 },
        ...(steps ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
        value: (_: uPlot, value: number | null) => (value === null ? '—' : y_text ? y_text(value) : count_text(value)),
      })),
    ],
  };
}

export function Lines(props: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const now = use_store(theme);
  const data: uPlot.AlignedData = [props.x, ...props.lines.map((line) => line.values)];
  const plot = useRef<uPlot | null>(null);
  const shape = props.lines.map((line) => line.name).join('\n') + now;
  useEffect(() => {
    const element = box.current!;
    plot.current = new uPlot(options_of(props, Math.max(200, element.clientWidth)), data, element);
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: Math.max(200, element.clientWidth), height: 220 }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [JSON.stringify(data)]);
  const x_name =
    props.x_text ??
    ((value: number) =>
      props.x_is_time ? new Date(value * 1000).toISOString().slice(0, 16).replace('T', ' ') : String(value));
  return (
    <div class="chart">
      <div ref={box} class="plot" role="img" aria-label={props.label} />
      <Numbers
        head={[props.x_title ?? 'Time', ...props.lines.map((line) => line.name)]}
        rows={props.x.map((value, i) => [
          x_name(value),
          ...props.lines.map((line) => {
            const one = line.values[i];
            return one === null || one === undefined ? '—' : props.y_text ? props.y_text(one) : one;
          }),
        ])}
      />
    </div>
  );
}
