// Text in a field of a form, which knows one end of a line only: what its lines end with comes back as it was.

const MARK = '␍'; // stands for a carriage return, where not all lines end in one

export interface Editable {
  shown: string;
  restored: (shown: string) => string;
  hint?: string;
}

// Null: it cannot be edited so that the rest stays as it is.
export function editable(text: string): Editable | null {
  if (!text.includes('\r')) return { shown: text, restored: (shown) => shown };
  if (!/\r(?!\n)|(?<!\r)\n/.test(text))
    return {
      shown: text.replaceAll('\r\n', '\n'),
      restored: (shown) => shown.replaceAll('\n', '\r\n'),
      hint: 'Its lines end in CR LF, and will.',
    };
  if (text.includes(MARK)) return null;
  return {
    shown: text.replaceAll('\r', MARK),
    restored: (shown) => shown.replaceAll(MARK, '\r'),
    hint: `Its lines end in different ways: ${MARK} stands for a carriage return.`,
  };
}
