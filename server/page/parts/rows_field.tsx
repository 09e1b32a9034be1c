// RowsField is a field of several values: a row for each, of one input or two.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './controls';
import { use_id } from './use_id';

interface RowsFieldProps {
  label: string;
  is_changed: boolean; // whether the field is marked as changed
  columns: readonly string[]; // the names of the inputs of a row; an empty one if the label says enough
  rows: readonly string[][];
  on_change: (rows: string[][]) => void;
  hint?: string;
  error?: string;
}

export function RowsField({ label, is_changed, columns, rows, on_change, hint, error }: RowsFieldProps) {
  const id = use_id();
  const box = useRef<HTMLDivElement>(null);
  const is_added = useRef(false);
  // A new row gets the focus before the next key comes, since somebody who adds a row wants to type into it at once.
  useLayoutEffect(() => {
    if (is_added.current) [...box.current!.querySelectorAll<HTMLElement>('.row')].at(-1)?.querySelector('input')?.focus();
    is_added.current = false;
  }, [rows.length]);
  const add = () => {
    is_added.current = true;
    on_change([...rows, columns.map(() => '')]);
  };
  const remove = (at: number) => {
    box.current!.querySelector<HTMLElement>('.add button')?.focus();
    on_change(rows.filter((_, i) => i !== at));
  };
  const change = (at: number, column: number, value: string) =>
    on_change(rows.map((row, i) => (i === at ? row.map((old, j) => (j === column ? value : old)) : row)));
  return (
    <div ref={box} class="field rows-field" role="group" aria-labelledby={id} aria-describedby={`${id}-hint`}>
      <span id={id} class="label">
        {label}
        {is_changed && ' •'}
      </span>
      {rows.map((row, i) => (
        <div class="row">
          {columns.map((column, j) => (
            <input
              type="text"
              aria-label={column ? `${label} ${i + 1}: ${column}` : `${label} ${i + 1}`}
              placeholder={column}
              value={row[j]}
              autocomplete="off"
              spellcheck={false}
              onInput={(event) => change(i, j, event.currentTarget.value)}
            />
          ))}
          <Button kind="quiet" label={`Remove ${label} ${i + 1}`} on_click={() => remove(i)}>
            ✕
          </Button>
        </div>
      ))}
      <div class="add">
        <Button label={`Add to ${label}`} on_click={add}>
          Add
        </Button>
      </div>
      <p id={`${id}-hint`} class={error ? 'hint wrong' : 'hint'}>
        {error ?? hint}
      </p>
    </div>
  );
}
