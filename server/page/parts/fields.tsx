// Makes the fields of a form from a list that says what each of them is.
import { Check, Input, Select } from './controls';
import { rows_in, text_of_rows, wrong_of, type FieldSpec, type Texts } from './field_values';
import { RowsField } from './rows_field';

interface FieldsProps {
  fields: readonly FieldSpec[];
  texts: Texts;
  on_change: (name: string, text: string) => void;
  before?: Texts; // fields that differ from these are marked
  wrong?: Texts; // further errors, by the names of the fields
}

export function Fields({ fields, texts, on_change, before, wrong = {} }: FieldsProps) {
  return (
    <>
      {fields.map((field) => {
        const { name, kind, hint } = field;
        const value = texts[name] ?? '';
        const label = field.label + (before && before[name] !== value ? ' •' : '');
        const set = (text: string) => on_change(name, text);
        if (kind === 'flag')
          return <Check label={label} value={value === 'true'} on_change={(on) => set(String(on))} hint={hint} />;
        if (kind === 'choice')
          return <Select label={label} value={value} on_change={set} choices={field.choices!} hint={hint} />;
        if (kind === 'list' || kind === 'pairs')
          return (
            <RowsField
              label={field.label}
              is_changed={label !== field.label}
              columns={field.pair ?? ['']}
              rows={rows_in(value)}
              on_change={(rows) => set(text_of_rows(rows))}
              hint={hint}
              error={wrong_of(field, value) ?? wrong[name]}
            />
          );
        return (
          <Input
            label={label}
            value={value}
            on_change={set}
            hint={hint}
            error={wrong_of(field, value) ?? wrong[name]}
            placeholder={field.placeholder}
          />
        );
      })}
    </>
  );
}
