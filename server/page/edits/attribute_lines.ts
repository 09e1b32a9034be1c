// Attributes as a person edits them: "name: value", a line each.
import type { Attribute } from '../api/schema';

// In the quotes of JSON, which takes U+2028 and U+2029 as they are: as ends of lines they are not seen in a field.
const in_quotes = (text: string) =>
  JSON.stringify(text).replace(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));

// A name or value that would not be read back as it is stands in quotes.
const quoted = (text: string) =>
  /^"|: |:$|[\n\r\u2028\u2029]|^\s|\s$/.test(text) || text === '' ? in_quotes(text) : text;

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
  const parts = /^("(?:[^"\\]|\\.)*"|[^"].*?):(?: (.*))?$/s.exec(line.trim());
  const name = parts && unquoted(parts[1]!);
  const value = parts && unquoted(parts[2] ?? '');
  return name && value !== null ? { name, value } : null;
}

// Attributes of one name are told apart by their order, and those of different names by nothing but the name. So these
// are the lines of `after`, those whose names `before` has in the order that they have there.
export function ordered_as(before: string, after: string): string {
  const [were, are] = [parse_lines(before), parse_lines(after)];
  if (typeof were === 'string' || typeof are === 'string') return after;
  const names = [...new Set([...were, ...are].map((one) => one.name))];
  return lines_of(names.flatMap((name) => are.filter((one) => one.name === name)));
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
