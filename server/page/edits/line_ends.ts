// Text in a field of a form, which knows only one kind of line end. The original line ends are restored afterwards.

// A browser lays out each line of a field whenever it is drawn. A MiB of short lines takes it seconds and gigabytes.
const FIELD_CHARACTERS = 256 << 10;
const FIELD_LINES = 5000;

// Returns whether the page may fill a field with the text. A person may still paste a longer one.
export function fits_field(text: string): boolean {
  if (text.length > FIELD_CHARACTERS) return false;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= FIELD_LINES; at = text.indexOf('\n', at + 1)) ++lines;
  return lines <= FIELD_LINES;
}

const MARK = '␍'; // stands for a carriage return if not all lines end in one

export interface Editable {
  shown: string;
  restored: (shown: string) => string;
  hint?: string;
}

// Null if the text cannot be edited without changing other parts of it.
export function editable(text: string): Editable | null {
  if (!text.includes('\r')) return { shown: text, restored: (shown) => shown };
  if (!/\r(?!\n)|(?<!\r)\n/.test(text))
    return {
      shown: text.replaceAll('\r\n', '\n'),
      restored: (shown) => shown.replaceAll('\n', '\r\n'),
      hint: 'Its lines end in CR LF, and stay so.',
    };
  if (text.includes(MARK)) return null;
  return {
    shown: text.replaceAll('\r', MARK),
    restored: (shown) => shown.replaceAll(MARK, '\r'),
    hint: `Its lines end in different ways: ${MARK} stands for a carriage return.`,
  };
}
