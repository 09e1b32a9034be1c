// Shares of one thing by another, as a table.
import { useState } from 'preact/hooks';
import { color_class } from '../parts/charts';
import { Button, Card, Check, say_wrong } from '../parts/controls';
import { count_text, plural } from '../parts/format';
import { Text } from '../parts/text';
import { change_query } from '../router';
import { columns_of, count_of, other_row } from './columns';
import { save_csv } from './csv';
import { label_of, name_of, OTHERS, title_of, type By, type Question } from './question';
import { read, type Row, type Told } from './read';

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

// Returns the address of the letters of a cell.
function letters_link({ queue, of, against, span, history }: Question, row: string, column: string): string {
  const query = { view: 'letters', newer: span, ...(history ? { history: 'true' } : {}), [against]: row, [of]: column };
  return `/dead-letters/${queue}?${new URLSearchParams(query)}`;
}

// Returns the address of the same table with nothing folded.
function unfolded_link({ queue, of, against, span, history }: Question): string {
  const query = { queue, of, against, span, ...(history ? { history: 'true' } : {}), all: 'true' };
  return `/analytics?${new URLSearchParams(query)}`;
}

function Name({ question, by, value, others }: { question: Question; by: By; value: string; others: number }) {
  if (value !== OTHERS) return <Text of={name_of(by, value)} />;
  const text = plural(others, 'other');
  return question.all ? <>{text}</> : <a href={unfolded_link(question)}>{text}</a>;
}

function Count({ question, row, column, count }: { question: Question; row: Row; column: string; count: number }) {
  const text = count_text(count);
  const is_folded = column === OTHERS || row.value === OTHERS;
  if (count === 0 || (is_folded && question.all)) return <>{text}</>;
  return <a href={is_folded ? unfolded_link(question) : letters_link(question, row.value, column)}>{text}</a>;
}

function CountRow({ question, row, told, columns }: { question: Question; row: Row; told: Told; columns: string[] }) {
  return (
    <tr>
      <th scope="row">
        <Name question={question} by={question.against} value={row.value} others={told.rows_left_out} />
      </th>
      <td class="number strong">{count_text(row.total)}</td>
      {columns.map((column) => {
        const count = count_of(row.counts, row.total, column, columns);
        return (
          <td class={count ? 'number' : 'number faint'}>
            <Count question={question} row={row} column={column} count={count} />{' '}
            <span class="faint share">{row.total ? `${((count / row.total) * 100).toFixed(0)} %` : ''}</span>
          </td>
        );
      })}
    </tr>
  );
}

function Rows({ told, question }: { told: Told; question: Question }) {
  const columns = columns_of(told, question.all);
  const rest = other_row(told);
  const hidden = told.values.length + told.left_out - columns.filter((one) => one !== OTHERS).length;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Shares">
      <table class="rows cross">
        <thead>
          <tr>
            <th scope="col">{label_of(question.against)}</th>
            <th scope="col" class="number">
              All
            </th>
            {columns.map((one) => (
              <th scope="col" class="number">
                <i class={`swatch ${color_class(columns, one)}`} />
                <Name question={question} by={question.of} value={one} others={hidden} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...told.rows, ...(rest ? [rest] : [])].map((row) => (
            <CountRow question={question} row={row} told={told} columns={columns} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function CrossTable({ told, question }: { told: Told; question: Question }) {
  const { queue, of, against, all } = question;
  const [busy, set_busy] = useState(false);
  const folds = other_row(told) !== null || columns_of(told, all).includes(OTHERS);
  // The file has all rows and columns, even those that the table folds.
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
  const tools = (
    <>
      {(all || folds) && (
        <Check
          label="Show all, not just the most frequent"
          value={all}
          on_change={(on) => change_query({ all: on ? 'true' : null })}
        />
      )}
      <Button busy={busy} on_click={() => void save()}>
        CSV
      </Button>
    </>
  );
  return (
    <Card title={title_of(`${label_of(of)} against ${label_of(against)}`)} wide tools={tools}>
      <Rows told={told} question={question} />
    </Card>
  );
}
