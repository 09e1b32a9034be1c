// Attributes as a person edits them: "name: value", a line each.
import type { Attribute } from '../api/schema';

// A name or value that would not be read back as it is stands in the quotes of JSON.
const quoted = (text: string) => (/^"|: |:$|[\n\r]|^\s|\s$/.test(text) || text === '' ? JSON.stringify(text) : text);

export const lines_of = (attributes: Attribute[] = []): string =>
  attributes
    .filter((one) => one.value !== undefined || one.valueBase64 === undefined)
    .map((one) => `${quoted(one.name ?? '')}: ${quoted(one.value ?? '')}`)
    .join('\n');

export type Named = { name: string; value: string };

function unquoted(text: string): string | null {
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return null;
  }
}

function parse_line(line: string): Named | null {
  const parts = /^("(?:[^"\\]|\\.)*"|[^"].*?):(?: (.*))?$/.exec(line.trim());
  const name = parts && unquoted(parts[1]!);
  const value = parts && unquoted(parts[2] ?? '');
  return name && value !== null ? { name, value } : null;
}

export function parse_lines(text: string): Named[] | string {
  const all: Named[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const one = parse_line(line);
    if (!one) return `“${line}” is not “name: value”.`;
    all.push(one);
  }
  return all;
}
