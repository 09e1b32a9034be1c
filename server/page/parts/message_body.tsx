// The body of a message that somebody makes: text, base64, or a file of whatever bytes.
import { Area, Check, Field, Tabs } from './controls';
import { bytes_text } from './format';
import { parse_json } from './json';

export type BodyKind = 'text' | 'base64' | 'file';

export interface MadeBody {
  kind: BodyKind;
  text: string;
  must_be_json: boolean;
  base64: string;
  file?: { name: string; size: number; base64: string };
}

const KINDS = [
  ['text', 'Text'],
  ['base64', 'Base64'],
  ['file', 'File'],
] as const;

const without_spaces = (text: string) => text.replace(/\s/g, '');
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export function wrong_in_body({ kind, text, must_be_json, base64, file }: MadeBody): string | undefined {
  if (kind === 'text') return must_be_json && parse_json(text) === null ? 'This is not JSON.' : undefined;
  if (kind === 'base64') return BASE64.test(without_spaces(base64)) ? undefined : 'This is not base64, with padding.';
  return file ? undefined : 'No file is chosen.';
}

export function body_of({ kind, text, base64, file }: MadeBody): { body: string } | { bodyBase64: string } {
  if (kind === 'text') return { body: text };
  return { bodyBase64: kind === 'base64' ? without_spaces(base64) : (file?.base64 ?? '') };
}

const PART = 0x8000; // bytes: a call takes so many arguments only

async function base64_of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += PART) text += String.fromCharCode(...bytes.subarray(at, at + PART));
  return btoa(text);
}

export function BodyFields({ made, on_change }: { made: MadeBody; on_change: (made: MadeBody) => void }) {
  const set = (changes: Partial<MadeBody>) => on_change({ ...made, ...changes });
  const wrong = wrong_in_body(made);
  const choose = async (file: File | undefined) => {
    set({ file: file && { name: file.name, size: file.size, base64: await base64_of(file) } });
  };
  return (
    <>
      <div class="wide">
        <Tabs label="How the body is given" value={made.kind} choices={KINDS} on_change={(one) => set({ kind: one as BodyKind })} />
      </div>
      {made.kind === 'text' && (
        <>
          <Area label="Body" value={made.text} on_change={(text) => set({ text })} error={wrong} rows={8} />
          <Check label="It has to be JSON" value={made.must_be_json} on_change={(on) => set({ must_be_json: on })} />
        </>
      )}
      {made.kind === 'base64' && (
        <Area label="Body, as base64" value={made.base64} on_change={(base64) => set({ base64 })} error={wrong} rows={8} />
      )}
      {made.kind === 'file' && (
        <Field
          label="Body, from a file"
          hint={made.file ? `${made.file.name}: ${bytes_text(made.file.size)}, sent as they are.` : 'Its bytes are sent as they are.'}
          wide
        >
          {(id, described) => (
            <input
              id={id}
              type="file"
              aria-describedby={described}
              onChange={(event) => void choose(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
      )}
    </>
  );
}
