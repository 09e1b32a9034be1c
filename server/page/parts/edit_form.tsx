// The fields of an edit of a dead letter: its body and its attributes.
import type { DeadLetter } from '../api/schema';
import { parse_lines } from './attribute_lines';
import { Area, Button, Check } from './controls';
import { pretty, read_json } from './json';
import type { Editable } from './line_ends';

interface FormProps {
  letter: DeadLetter;
  form: Editable | null; // of the body; null: it goes as it is
  shown: string;
  set_shown: (shown: string) => void;
  must_be_json: boolean;
  set_must: (on: boolean) => void;
  attributes: string;
  set_attributes: (attributes: string) => void;
  is_same: boolean;
  on_close: () => void;
  on_compare: () => void;
}

export function EditForm(props: FormProps) {
  const { letter, form, shown, set_shown, must_be_json, set_must, attributes, set_attributes, is_same } = props;
  const parsed = parse_lines(attributes);
  const attributes_wrong = typeof parsed === 'string' ? parsed : undefined;
  const json = form && must_be_json ? read_json(form.restored(shown)) : undefined;
  const node = json?.node;
  const body_wrong = json?.wrong;
  const reason = body_wrong ?? attributes_wrong ?? (is_same ? 'Nothing is changed yet.' : undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) props.on_compare();
      }}
    >
      {form ? (
        <>
          <Area label="Body" value={shown} on_change={set_shown} rows={16} error={body_wrong} hint={form.hint} />
          <div class="bar">
            <Check label="It has to be JSON" value={must_be_json} on_change={set_must} />
            <Button
              kind="quiet"
              reason={node ? undefined : (body_wrong ?? 'It does not have to be JSON.')}
              on_click={() => node && set_shown(pretty(node))}
            >
              Indent
            </Button>
            <Button kind="quiet" on_click={() => set_shown(form.shown)}>
              As it was
            </Button>
          </div>
        </>
      ) : (
        <p class="note info">
          {letter.body === undefined
            ? 'The body is not UTF-8 text; it goes as it is.'
            : 'The lines of the body end in ways that a form cannot keep; it goes as it is.'}{' '}
          The attributes can be changed.
        </p>
      )}
      <Area
        label="Attributes, one “name: value” a line"
        value={attributes}
        on_change={set_attributes}
        rows={5}
        error={attributes_wrong}
      />
      <div class="buttons">
        <Button on_click={props.on_close}>{is_same ? 'Cancel' : 'Close, and keep the edit'}</Button>
        <Button submit kind="main" reason={reason}>
          Compare
        </Button>
      </div>
    </form>
  );
}
