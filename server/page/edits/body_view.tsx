// Shows the body of a message as JSON that folds, as text, or byte by byte. A large body is shown a little at a time.
import { useMemo, useState } from 'preact/hooks';
import { Button, Tabs } from '../parts/controls';
import { bytes_text, count_text } from '../parts/format';
import { read_json, type JsonNode } from '../parts/json';
import { visible } from '../parts/text';

const TEXT_STEP = 64 << 10;
const HEX_STEP = 4 << 10;
const MEMBERS = 100; // how many members of an object or array are shown before a click
const OPEN_DEPTH = 3;
const ROW = 16;

export interface Bytes {
  body?: string;
  bodyBase64?: string;
}

// Undefined if the body is not UTF-8. If there is neither member, a peek found an empty body.
export const text_of_body = ({ body, bodyBase64 }: Bytes): string | undefined =>
  body ?? (bodyBase64 === undefined ? '' : undefined);

export function bytes_of({ body, bodyBase64 }: Bytes): Uint8Array<ArrayBuffer> {
  if (bodyBase64 !== undefined) {
    const text = atob(bodyBase64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i); // from() takes thirty times as long
    return bytes;
  }
  return new TextEncoder().encode(body ?? '') as Uint8Array<ArrayBuffer>;
}

// A long string is shown whole only if somebody asks for it.
function JsonText({ text }: { text: string }) {
  const [is_whole, set_whole] = useState(false);
  if (is_whole || text.length <= TEXT_STEP) return <span class="json-string">"{visible(text)}"</span>;
  return (
    <>
      <span class="json-string">"{visible(text.slice(0, TEXT_STEP))}…</span>{' '}
      <Button kind="quiet" on_click={() => set_whole(true)}>
        Show all {count_text(text.length)} characters
      </Button>
    </>
  );
}

function Node({ node, name, depth }: { node: JsonNode; name?: string; depth: number }) {
  const [open, set_open] = useState(depth < OPEN_DEPTH);
  const [shown, set_shown] = useState(MEMBERS);
  const key = name !== undefined && (
    <>
      <span class="json-key">"{visible(name)}"</span>:{' '}
    </>
  );
  if (node.kind === 'string')
    return (
      <div class="json-line">
        {key}
        <JsonText text={node.text} />
      </div>
    );
  if (node.kind === 'other')
    return (
      <div class="json-line">
        {key}
        <span class="json-other">{node.text}</span>
      </div>
    );
  const [first, end] = node.kind === 'object' ? '{}' : '[]';
  const children: [string | undefined, JsonNode][] =
    node.kind === 'object' ? node.members : node.items.map((one) => [undefined, one]);
  if (children.length === 0)
    return (
      <div class="json-line">
        {key}
        {first}
        {end}
      </div>
    );
  return (
    <div class="json-node">
      <button type="button" class="fold" aria-expanded={open} onClick={() => set_open(!open)}>
        <span aria-hidden="true">{open ? '▾' : '▸'}</span>
        {key}
        {first}
        {!open && (
          <span class="faint">
            {' '}
            {children.length} {end}
          </span>
        )}
      </button>
      {open && (
        <>
          <div class="json-inside">
            {children.slice(0, shown).map(([inner, one]) => (
              <Node node={one} name={inner} depth={depth + 1} />
            ))}
            {children.length > shown && (
              <Button kind="quiet" on_click={() => set_shown(shown + 10 * MEMBERS)}>
                {children.length - shown} more
              </Button>
            )}
          </div>
          <div class="json-line">{end}</div>
        </>
      )}
    </div>
  );
}

function Plain({ text }: { text: string }) {
  const [shown, set_shown] = useState(TEXT_STEP);
  return (
    <>
      <pre class="body-text" tabIndex={0} aria-label="Body">
        {visible(text.slice(0, shown), true)}
      </pre>
      {text.length > shown && (
        <Button on_click={() => set_shown(shown + 4 * TEXT_STEP)}>
          Show more ({bytes_text(text.length - shown)} left)
        </Button>
      )}
    </>
  );
}

function hex_rows(bytes: Uint8Array, shown: number): string {
  const rows: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, shown); at += ROW) {
    const row = [...bytes.subarray(at, at + ROW)];
    const digits = row
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join(' ')
      .padEnd(ROW * 3 - 1);
    const letters = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    rows.push(`${at.toString(16).padStart(8, '0')}  ${digits}  ${letters}`);
  }
  return rows.join('\n');
}

function Hex({ bytes }: { bytes: Uint8Array }) {
  const [shown, set_shown] = useState(HEX_STEP);
  return (
    <>
      <pre class="body-text" tabIndex={0} aria-label="Body, byte by byte">
        {hex_rows(bytes, shown)}
      </pre>
      {bytes.length > shown && (
        <Button on_click={() => set_shown(shown + 4 * HEX_STEP)}>
          Show more ({bytes_text(bytes.length - shown)} left)
        </Button>
      )}
    </>
  );
}

export function save(bytes: Uint8Array<ArrayBuffer>, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export function BodyView({ of, name }: { of: Bytes; name: string }) {
  const bytes = useMemo(() => bytes_of(of), [of.body, of.bodyBase64]);
  const text = text_of_body(of);
  const json = useMemo(() => (text === undefined ? null : read_json(text).node), [text]);
  const is_tree = json !== null && (json.kind === 'object' || json.kind === 'array');
  const choices = [
    ...(is_tree ? [['json', 'JSON'] as const] : []),
    ...(text !== undefined ? [['text', 'Raw'] as const] : []),
    ['hex', 'Hex'] as const,
  ];
  const [wanted, set_view] = useState('json');
  const view = choices.some(([one]) => one === wanted) ? wanted : choices[0][0];
  return (
    <div class="body-view">
      <div class="bar">
        <Tabs label="How the body is shown" value={view} choices={choices} on_change={set_view} />
        <span class="faint">
          {bytes_text(bytes.length)}
          {text === undefined && ', not UTF-8'}
          {text === '' && ': the body is empty'}
        </span>
        <Button kind="quiet" on_click={() => save(bytes, name)}>
          Download
        </Button>
      </div>
      {view === 'json' && json && (
        <div class="json mono" role="group" aria-label="Body as JSON">
          <Node node={json} depth={0} />
        </div>
      )}
      {view === 'text' && <Plain text={text ?? ''} />}
      {view === 'hex' && <Hex bytes={bytes} />}
    </div>
  );
}
