// Shows text that somebody else wrote. It is always text, never markup. Characters that would move the cursor, turn the
// direction of writing or show nothing are spelled out.
import type { ComponentChildren } from 'preact';

// Characters that are not seen, or that look like a space but are none: control characters (terminal escapes among
// them), marks of direction, characters without a width, characters that no font or no standard has, spaces of other
// kinds, and the empty pattern of Braille.
const HIDDEN = /(?![ \n\t])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;
const LINE_ENDS = /[\n\t]/;

function mark_of(character: string): string {
  const code = character.codePointAt(0)!;
  if (code === 0x1b) return 'ESC';
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

const is_hidden = (character: string, keep_lines: boolean) =>
  HIDDEN.test(character) || (!keep_lines && LINE_ENDS.test(character));

export function visible(text: string, keep_lines = false): ComponentChildren {
  if (!HIDDEN.test(text) && (keep_lines || !LINE_ENDS.test(text))) return text;
  const parts: ComponentChildren[] = [];
  let plain = '';
  for (const character of text) {
    if (!is_hidden(character, keep_lines)) {
      plain += character;
      continue;
    }
    if (plain) parts.push(plain);
    plain = '';
    const shown = character === '\n' ? '⏎' : character === '\t' ? '⇥' : mark_of(character);
    parts.push(
      <span class="mark" title={`an invisible character: ${mark_of(character)}`}>
        {shown}
      </span>,
    );
  }
  if (plain) parts.push(plain);
  return parts;
}

// Shows each hidden character as its mark, for attributes such as titles, which cannot contain elements.
export const visible_plain = (text: string): string =>
  [...text].map((character) => (is_hidden(character, false) ? `‹${mark_of(character)}›` : character)).join('');

const LOOKS_LIKE_ANOTHER = /^\((none|others)\)$|^all$|^\s|\s$/;

// Names a value; an empty value has a name too. A value that looks like such a name, or has spaces at its ends, is put
// in quotes to tell them apart.
export function value_name(value: string): string {
  if (value === '') return '(none)';
  return LOOKS_LIKE_ANOTHER.test(value) ? `“${value}”` : value;
}

const MOST_NAMED = 5;

// Says in words what a text has that a field cannot show. Undefined if there is nothing.
export function hidden_in(text: string): string | undefined {
  if (!HIDDEN.test(text)) return undefined;
  const marks = [...text].filter((character) => is_hidden(character, true)).map(mark_of);
  const kinds = [...new Set(marks)];
  const named = kinds.slice(0, MOST_NAMED).join(', ') + (kinds.length > MOST_NAMED ? ' and others' : '');
  const turns = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/.test(text);
  return `Invisible here: ${named}${turns ? '. The field may show the text in a different order' : ''}.`;
}

// Shows a text in a line. `empty` is shown if there is no text.
export function Text({ of, empty = '—', mono = false }: { of: string | undefined; empty?: string; mono?: boolean }) {
  if (!of) return <span class="faint">{empty}</span>;
  return (
    <span class={mono ? 'said mono' : 'said'} title={of.length > 40 ? visible_plain(of.slice(0, 1000)) : undefined}>
      {visible(of)}
    </span>
  );
}
