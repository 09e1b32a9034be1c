// A ChosenFile is a file that a person chooses, read for a call of the API.
import { useRef } from 'preact/hooks';
import { Field, say_wrong } from './controls';
import { bytes_text } from './format';

export type ChosenFile = { name: string; size: number; base64: string } | 'being read';

// Undefined if the file has been read.
export function wrong_in_file(file: ChosenFile | undefined): string | undefined {
  if (file === 'being read') return 'The file is being read.';
  return file ? undefined : 'No file is chosen.';
}

const PART = 0x8000; // bytes for each call, which takes a limited number of arguments

async function base64_of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += PART) text += String.fromCharCode(...bytes.subarray(at, at + PART));
  return btoa(text);
}

interface FileFieldProps {
  label: string;
  file: ChosenFile | undefined;
  on_change: (file: ChosenFile | undefined) => void;
}

export function FileField({ label, file, on_change }: FileFieldProps) {
  const chosen = useRef<File>();
  // The file that was chosen last is the one that goes, whichever file is read first. Nothing goes until it is read.
  const choose = async (one: File | undefined) => {
    chosen.current = one;
    on_change(one && 'being read');
    if (!one) return;
    try {
      const base64 = await base64_of(one);
      if (chosen.current === one) on_change({ name: one.name, size: one.size, base64 });
    } catch (failure) {
      if (chosen.current === one) on_change(undefined);
      say_wrong(failure);
    }
  };
  const hint =
    typeof file === 'object'
      ? `${file.name}: ${bytes_text(file.size)}, sent unchanged.`
      : 'The file is sent unchanged.';
  return (
    <Field label={label} hint={hint} wide>
      {(id, described) => (
        <input
          id={id}
          type="file"
          aria-describedby={described}
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}
