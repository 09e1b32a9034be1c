// The body of a message that somebody makes: text, base64, or a file of whatever bytes.
import { useRef } from 'preact/hooks';
import { Area, Check, Field, say_wrong, Tabs } from './controls';
import { bytes_text } from './format';
import { read_json } from './json';

type BodyKind = 'text' | 'base64' | 'file';

export interface MadeBody {
  kind: BodyKind;
  text: string;
  must_be_json: boolean;
  base64: string;
  file?: { name: string; size: number; base64: string } | 'being read';
}

const KINDS = [
  ['text', 'Text'],
  ['base64', 'Base64'],
  ['file', 'File'],
] as const;

const without_spaces = (text: string) => text.replace(/\s/g, '');
const is_base64 = (text: string) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

export function wrong_in_body({ kind, text, must_be_json, base64, file }: MadeBody): string | undefined {
  if (kind === 'text') return must_be_json ? read_json(text).wrong : undefined;
  if (kind === 'base64') return is_base64(without_spaces(base64)) ? undefined : 'This is not base64, with padding.';
  if (file === 'being read') return 'The file is being read.';
  return file ? undefined : 'No file is chosen.';
}

export function body_of({ kind, text, base64, file }: MadeBody): { body: string } | { bodyBase64: string } {
  if (kind === 'text') return { body: text };
  if (kind === 'base64') return { bodyBase64: without_spaces(base64) };
  if (file === undefined || file === 'being read') throw new Error('No file is chosen.');
  return { bodyBase64: file.base64 };
}

const PART = 0x8000; // bytes: a call takes so many arguments only

async function base64_of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += PART) text += String.fromCharCode(...bytes.subarray(at, at + PART));
  return btoa(text);
}

interface BodyFieldsProps {
  made: MadeBody;
  on_change: (changes: Partial<MadeBody>) => void;
}

export function BodyFields({ made, on_change: set }: BodyFieldsProps) {
  const wrong = wrong_in_body(made);
  const chosen = useRef<File>();
  // What is chosen last is what goes, whichever file is read first; until it is read, nothing goes.
  const choose = async (file: File | undefined) => {
    chosen.current = file;
    set({ file: file && 'being read' });
    if (!file) return;
    try {
      const base64 = await base64_of(file);
      if (chosen.current === file) set({ file: { name: file.name, size: file.size, base64 } });
    } catch (failure) {
      if (chosen.current === file) set({ file: undefined });
      say_wrong(failure);
    }
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
          hint={typeof made.file === 'object' ? `${made.file.name}: ${bytes_text(made.file.size)}, sent as they are.` : 'Its bytes are sent as they are.'}
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
