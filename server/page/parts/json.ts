// JSON as it is written: numbers keep their digits, members their order, and names that come twice come twice.

export type JsonNode =
  | { kind: 'object'; members: [string, JsonNode][] }
  | { kind: 'array'; items: JsonNode[] }
  | { kind: 'string'; text: string }
  | { kind: 'other'; text: string }; // a number, true, false, null

const MAX_DEPTH = 200;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\r\n]*/y;

class Parser {
  private at = 0;
  constructor(private readonly text: string) {}

  whole(): JsonNode | null {
    const node = this.value(0);
    this.space();
    return node && this.at === this.text.length ? node : null;
  }

  private space(): void {
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }

  private is(character: string): boolean {
    this.space();
    if (this.text[this.at] !== character) return false;
    ++this.at;
    return true;
  }

  private value(depth: number): JsonNode | null {
    if (depth > MAX_DEPTH) return null;
    this.space();
    const first = this.text[this.at];
    if (first === '{') return this.object(depth);
    if (first === '[') return this.array(depth);
    if (first === '"') return this.string();
    for (const word of ['true', 'false', 'null']) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return { kind: 'other', text: word };
    }
    const number = this.take(NUMBER);
    return number === null ? null : { kind: 'other', text: number };
  }

  private string(): JsonNode | null {
    const text = this.take(STRING);
    return text === null ? null : { kind: 'string', text: JSON.parse(text) };
  }

  private object(depth: number): JsonNode | null {
    ++this.at;
    const members: [string, JsonNode][] = [];
    if (this.is('}')) return { kind: 'object', members };
    do {
      this.space();
      const name = this.string();
      if (name?.kind !== 'string' || !this.is(':')) return null;
      const value = this.value(depth + 1);
      if (!value) return null;
      members.push([name.text, value]);
    } while (this.is(','));
    return this.is('}') ? { kind: 'object', members } : null;
  }

  private array(depth: number): JsonNode | null {
    ++this.at;
    const items: JsonNode[] = [];
    if (this.is(']')) return { kind: 'array', items };
    do {
      const value = this.value(depth + 1);
      if (!value) return null;
      items.push(value);
    } while (this.is(','));
    return this.is(']') ? { kind: 'array', items } : null;
  }
}

// Null: it is none.
export const parse_json = (text: string): JsonNode | null => new Parser(text).whole();

export function pretty(node: JsonNode, indent = ''): string {
  const deeper = indent + '  ';
  if (node.kind === 'string') return JSON.stringify(node.text);
  if (node.kind === 'other') return node.text;
  if (node.kind === 'array') {
    if (node.items.length === 0) return '[]';
    return `[\n${node.items.map((one) => deeper + pretty(one, deeper)).join(',\n')}\n${indent}]`;
  }
  if (node.members.length === 0) return '{}';
  const members = node.members.map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${pretty(one, deeper)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}

// Indented where it is JSON, as it is elsewhere: what a difference is shown of.
export function readable(text: string): string {
  const node = text.length < 1 << 20 ? parse_json(text) : null;
  return node ? pretty(node) : text;
}
