// The body of an edited dead letter. It is edited in a field, or, if a field cannot hold it, by a file or a JSON Patch.
import type { DeadLetter, RedriveEditInput } from '../api/schema';
import { bytes_of, save, text_of_body } from './body_view';
import { Area, Button, Check, say, Tabs } from '../parts/controls';
import { FileField, wrong_in_file, type ChosenFile } from '../parts/file_field';
import { pretty, read_json } from '../parts/json';
import { editable, fits_field, type Editable } from './line_ends';

// A WholeBody says how a body without a field is changed.
export interface WholeBody {
  by: 'nothing' | 'file' | 'patch';
  file?: ChosenFile;
  patch: string;
}

// Returns a field for the body, or says why there is none.
export function field_of(body: string | undefined): Editable | string {
  if (body === undefined) return 'The body is not UTF-8 text.';
  if (!fits_field(body)) return 'The body is too long for a field, or has too many lines.';
  return editable(body) ?? 'The lines of the body end in ways that a field cannot keep.';
}

// Undefined if the body can be sent.
export function wrong_in_whole({ by, file, patch }: WholeBody): string | undefined {
  if (by === 'file') return wrong_in_file(file);
  if (by === 'nothing') return undefined;
  const { node, wrong } = read_json(patch);
  return wrong ?? (node?.kind === 'array' ? undefined : 'A JSON Patch is an array of changes.');
}

export function edit_of_whole({ by, file, patch }: WholeBody): Pick<RedriveEditInput, 'bodyBase64' | 'jsonPatch'> {
  if (by === 'file' && typeof file === 'object') return { bodyBase64: file.base64 };
  return by === 'patch' ? { jsonPatch: patch } : {};
}

interface FieldBodyProps {
  form: Editable;
  shown: string;
  set_shown: (shown: string) => void;
  must_be_json: boolean;
  set_must: (on: boolean) => void;
}

export function FieldBody({ form, shown, set_shown, must_be_json, set_must }: FieldBodyProps) {
  const { node, wrong } = must_be_json ? read_json(form.restored(shown)) : { node: null, wrong: undefined };
  const indent = () => {
    const indented = pretty(node!);
    if (fits_field(indented)) set_shown(indented);
    else say('The indented text is too long for a field.', 'warning');
  };
  return (
    <>
      <Area label="Body" value={shown} on_change={set_shown} rows={16} error={wrong} hint={form.hint} />
      <div class="bar">
        <Check label="It has to be JSON" value={must_be_json} on_change={set_must} />
        <Button
          kind="quiet"
          reason={node ? undefined : (wrong ?? 'Only JSON can be indented.')}
          on_click={indent}
        >
          Indent
        </Button>
        <Button kind="quiet" on_click={() => set_shown(form.shown)}>
          Reset
        </Button>
      </div>
    </>
  );
}

const WAYS = [
  ['nothing', 'Unchanged'],
  ['file', 'From a file'],
  ['patch', 'JSON Patch'],
] as const;

interface WholeProps {
  letter: DeadLetter;
  why: string; // why the body has no field
  whole: WholeBody;
  on_change: (changes: Partial<WholeBody>) => void;
}

export function WholeBodyFields({ letter, why, whole, on_change }: WholeProps) {
  const name = `${letter.record?.messageId ?? 'body'}.txt`;
  const ways = WAYS.filter(([by]) => by !== 'patch' || text_of_body(letter) !== undefined);
  return (
    <>
      <p class="note info">{why} It can be replaced by a file. Otherwise it stays as it is.</p>
      <div class="bar">
        <Tabs label="The body" value={whole.by} choices={ways} on_change={(by) => on_change({ by: by as WholeBody['by'] })} />
        <Button kind="quiet" on_click={() => save(bytes_of(letter), name)}>
          Download
        </Button>
      </div>
      {whole.by === 'file' && (
        <>
          <FileField label="Choose a file with the new body" file={whole.file} on_change={(file) => on_change({ file })} />
          <p class="hint">The browser does not keep the file: choose it again after a reload of this page.</p>
        </>
      )}
      {whole.by === 'patch' && (
        <Area
          label="JSON Patch"
          value={whole.patch}
          on_change={(patch) => on_change({ patch })}
          rows={6}
          placeholder='[{"op": "replace", "path": "/quantity", "value": 3}]'
          error={whole.patch === '' ? undefined : wrong_in_whole(whole)}
          hint="RFC 6902. A letter that the patch does not fit stays where it is."
        />
      )}
    </>
  );
}
