// A MadeBody is the body of a message that somebody makes: text, base64, or a file of any bytes.
import { Area, Check, Tabs } from '../parts/controls';
import { FileField, wrong_in_file, type ChosenFile } from '../parts/file_field';
import { read_json } from '../parts/json';

type BodyKind = 'text' | 'base64' | 'file';

export interface MadeBody {
  kind: BodyKind;
  text: string;
  must_be_json: boolean;
  base64: string;
  file?: ChosenFile;
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
  if (kind === 'base64') return is_base64(without_spaces(base64)) ? undefined : 'This is not base64 with padding.';
  return wrong_in_file(file);
}

export function body_of({ kind, text, base64, file }: MadeBody): { body: string } | { bodyBase64: string } {
  if (kind === 'text') return { body: text };
  if (kind === 'base64') return { bodyBase64: without_spaces(base64) };
  if (file === undefined || file === 'being read') throw new Error('No file is chosen.');
  return { bodyBase64: file.base64 };
}

interface BodyFieldsProps {
  made: MadeBody;
  on_change: (changes: Partial<MadeBody>) => void;
}

export function BodyFields({ made, on_change: set }: BodyFieldsProps) {
  const wrong = wrong_in_body(made);
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
        <FileField label="Body, from a file" file={made.file} on_change={(file) => set({ file })} />
      )}
    </>
  );
}
