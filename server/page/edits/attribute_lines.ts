// Attributes as a person edits them: each line is "name: value".
import type { Attribute } from '../api/schema';

// Quotes a text as JSON does, and also escapes U+2028 and U+2029. JSON leaves them as they are, but a field does not
// show that they end a line.
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

// The order of attributes matters only among those of the same name. So this returns the lines of `after` in the order
// in which `before` has the names.
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
