// Reads JSON as it is written: numbers keep their digits, members keep their order, and a name that comes twice stays
// twice.

export type JsonNode =
  | { kind: 'object'; members: [string, JsonNode][] }
  | { kind: 'array'; items: JsonNode[] }
  | { kind: 'string'; text: string }
  | { kind: 'other'; text: string }; // a number, true, false, null

const MAX_DEPTH = 200;
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;

// Returns the position behind the quote that ends the string starting at `start`. Null if no quote ends it.
function end_of_string(text: string, start: number): number | null {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') --before;
    if ((quote - before) % 2 === 0) return quote + 1; // an odd number of backslashes escapes the quote
  }
  return null;
}

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

  // A pattern with a repeated group throws on a string of some megabytes: the browser keeps a step of each repetition.
  private string(): JsonNode | null {
    if (this.text[this.at] !== '"') return null;
    const end = end_of_string(this.text, this.at);
    if (end === null) return null;
    const text = this.text.slice(this.at, end);
    this.at = end;
    try {
      return { kind: 'string', text: JSON.parse(text) };
    } catch {
      return null; // an invalid escape, or a control character
    }
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

// Returns null if the text is not JSON.
export const parse_json = (text: string): JsonNode | null => new Parser(text).whole();

// At most this many characters are read as JSON. A longer text would take too long while somebody looks at it or types.
const MOST_READ = 4 << 20;

interface ReadJson {
  node: JsonNode | null;
  wrong?: string; // why there is no node
}

export function read_json(text: string): ReadJson {
  if (text.length > MOST_READ)
    return { node: null, wrong: 'This is too long to be checked: it can be sent if it does not have to be JSON.' };
  const node = parse_json(text);
  return node ? { node } : { node, wrong: 'This is not JSON.' };
}

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

// Returns the text that a difference compares. JSON is indented for that; any other text stays as it is.
export function readable(text: string): string {
  const node = text.length < 1 << 20 ? parse_json(text) : null;
  return node ? pretty(node) : text;
}
