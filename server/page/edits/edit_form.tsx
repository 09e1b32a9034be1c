// EditForm has the fields of an edit of a dead letter: its body and its attributes.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { DeadLetter } from '../api/schema';
import { parse_lines } from './attribute_lines';
import { Area, Button } from '../parts/controls';
import { FieldBody, WholeBodyFields, wrong_in_whole, type WholeBody } from './edit_body';
import { read_json } from '../parts/json';
import type { Editable } from './line_ends';

interface FormProps {
  letter: DeadLetter;
  form: Editable | string; // the field of the body, or why there is none
  whole: WholeBody; // the change of a body without a field
  set_whole: (changes: Partial<WholeBody>) => void;
  shown: string;
  set_shown: (shown: string) => void;
  must_be_json: boolean;
  set_must: (on: boolean) => void;
  attributes: string;
  set_attributes: (attributes: string) => void;
  is_same: boolean;
  is_kept: boolean; // whether the browser keeps the edit
  on_close: () => void;
  on_compare: () => void;
}

export function EditForm(props: FormProps) {
  const { letter, form, whole, set_whole, shown, set_shown, must_be_json, set_must } = props;
  const { attributes, set_attributes, is_same } = props;
  const box = useRef<HTMLFormElement>(null);
  // Someone who returns from the comparison also gets this.
  useLayoutEffect(() => box.current!.querySelector<HTMLElement>('textarea')?.focus(), []);
  const parsed = parse_lines(attributes);
  const attributes_wrong = typeof parsed === 'string' ? parsed : undefined;
  const body_wrong =
    typeof form === 'string' ? wrong_in_whole(whole) : must_be_json ? read_json(form.restored(shown)).wrong : undefined;
  const reason = body_wrong ?? attributes_wrong ?? (is_same ? 'Nothing is changed yet.' : undefined);
  return (
    <form
      ref={box}
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) props.on_compare();
      }}
    >
      {typeof form === 'string' ? (
        <WholeBodyFields letter={letter} why={form} whole={whole} on_change={set_whole} />
      ) : (
        <FieldBody {...{ form, shown, set_shown, must_be_json, set_must }} />
      )}
      <Area
        label="Attributes, one “name: value” a line"
        value={attributes}
        on_change={set_attributes}
        rows={5}
        error={attributes_wrong}
      />
      <div class="buttons">
        <Button on_click={props.on_close}>{props.is_kept ? 'Close, and keep the edit' : 'Cancel'}</Button>
        <Button submit kind="main" reason={reason}>
          Compare
        </Button>
      </div>
    </form>
  );
}
