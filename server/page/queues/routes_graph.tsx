// Which queue dead-letters where: a picture with numbers on the arrows.
import { useState } from 'preact/hooks';
import type { QueueInfo } from '../api/schema';
import { knows_all, session } from '../api/session';
import { Button } from '../parts/controls';
import { count_text, plural, short_count } from '../parts/format';
import { use_store } from '../store';
import { visible } from '../parts/text';
import { BEING_READ } from '../parts/unknown';

export interface Edge {
  from: string;
  to: string;
  kind: 'dead letters' | 'route' | 'parking';
  category?: string;
}

export function edges_of(queues: QueueInfo[]): Edge[] {
  const edges: Edge[] = [];
  for (const { name = '', options } of queues) {
    if (options?.deadLetterQueue) edges.push({ from: name, to: options.deadLetterQueue, kind: 'dead letters' });
    for (const route of options?.deadLetterRoutes ?? [])
      edges.push({ from: name, to: route.queue ?? '', kind: 'route', category: route.category });
    if (options?.parkingQueue) edges.push({ from: name, to: options.parkingQueue, kind: 'parking' });
  }
  return edges;
}

// Those that others dead-letter to or park in, or that have dead letters.
export function dead_letter_queues(queues: QueueInfo[]): QueueInfo[] {
  const targets = new Set(edges_of(queues).map((edge) => edge.to));
  return queues.filter((queue) => targets.has(queue.name ?? '') || queue.counts.dead > 0);
}

// How many came by an arrow. Nothing: it is told at another arrow.
export interface Counted {
  count?: number;
  unknown?: string; // why it is not known
}

const NODE = { width: 164, height: 42, column: 300, gap: 14 };
const LABEL = 14; // the height of what an arrow says where it leaves
const MOST_EDGES = 60; // that are drawn before somebody asks for all
const cut = (name: string) => (name.length > 21 ? name.slice(0, 20) + '…' : name);

// The longest way to it: a queue stands right of all that dead-letter to it. There are no cycles.
function depths(edges: Edge[]): Map<string, number> {
  const depth = new Map<string, number>();
  const visit = (name: string): number => {
    const known = depth.get(name);
    if (known !== undefined) return known;
    depth.set(name, 0);
    const before = edges.filter((edge) => edge.to === name && edge.from !== name).map((edge) => visit(edge.from) + 1);
    depth.set(name, Math.max(0, ...before));
    return depth.get(name)!;
  };
  for (const edge of edges) {
    visit(edge.from);
    visit(edge.to);
  }
  return depth;
}

interface Box {
  x: number;
  y: number;
  height: number;
}

// A queue is as high as what its arrows say needs.
function places(edges: Edge[]): Map<string, Box> {
  const at = new Map<string, Box>();
  const columns: [name: string, height: number][][] = [];
  for (const [name, column] of [...depths(edges)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const leaving = edges.filter((edge) => edge.from === name).length;
    (columns[column] ??= []).push([name, Math.max(NODE.height, (leaving + 1) * LABEL)]);
  }
  const height_of = (column: [string, number][]) => column.reduce((sum, [, height]) => sum + height + NODE.gap, 0);
  const most = Math.max(...columns.map(height_of));
  columns.forEach((column, i) => {
    // Columns with little in them stand in the middle.
    let y = (most - height_of(column)) / 2 + 4;
    for (const [name, height] of column) {
      at.set(name, { x: i * NODE.column + 2, y, height });
      y += height + NODE.gap;
    }
  });
  return at;
}

// Where arrows leave and arrive: side by side, in the order of where they lead to and come from.
function ends_of(edges: Edge[], at: Map<string, Box>): Map<Edge, { leaves: number; arrives: number }> {
  const heights = (own: (edge: Edge) => string, other: (edge: Edge) => string): Map<Edge, number> => {
    const all = new Map<Edge, number>();
    for (const [name, box] of at) {
      const mine = edges.filter((edge) => own(edge) === name);
      mine.sort((a, b) => at.get(other(a))!.y - at.get(other(b))!.y);
      mine.forEach((edge, i) => all.set(edge, box.y + (box.height * (i + 1)) / (mine.length + 1)));
    }
    return all;
  };
  const [from, to] = [(edge: Edge) => edge.from, (edge: Edge) => edge.to];
  const [leaves, arrives] = [heights(from, to), heights(to, from)];
  return new Map(edges.map((edge) => [edge, { leaves: leaves.get(edge)!, arrives: arrives.get(edge)! }]));
}

interface GraphProps {
  queues: QueueInfo[];
  from_source: (edge: Edge) => Counted; // dead letters in `to` that came from `from`
}

// Those that lead to dead letters first, where there are too many.
function shown_edges(all: Edge[], known: Map<string, QueueInfo>, is_whole: boolean): Edge[] {
  if (is_whole || all.length <= MOST_EDGES) return all;
  const has_dead = (edge: Edge) => (known.get(edge.to)?.counts.dead ?? 0) > 0;
  return [...all.filter(has_dead), ...all.filter((edge) => !has_dead(edge))].slice(0, MOST_EDGES);
}

interface NodeProps {
  name: string;
  queue?: QueueInfo; // none: the token is not told of it
  is_target: boolean;
  box: Box;
}

function Node({ name, queue, is_target, box: { x, y, height } }: NodeProps) {
  const dead = queue?.counts.dead ?? 0;
  const waits = queue ? queue.counts.ready + queue.counts.waiting + queue.counts.leased : 0;
  const why = 'This token may not see it, or it is not there.';
  const content = (
    <>
      <title>
        {queue ? `${name}: ${count_text(waits)} messages, ${count_text(dead)} of them dead letters` : `${name}: ${why}`}
      </title>
      <rect x={x} y={y} width={NODE.width} height={height} rx="6" />
      <text x={x + 10} y={y + 18} class="name">
        {cut(name)}
      </text>
      <text x={x + 10} y={y + 33} class="count">
        {!queue ? 'not known' : dead > 0 ? `${short_count(dead)} dead` : short_count(waits)}
      </text>
    </>
  );
  if (!queue) return <g class="node unknown">{content}</g>;
  return (
    <a href={dead > 0 || is_target ? `/dead-letters/${name}` : `/queues/${name}`} class={dead > 0 ? 'node dead' : 'node'}>
      {content}
    </a>
  );
}

export function RoutesGraph({ queues, from_source }: GraphProps) {
  const now = use_store(session);
  const [is_whole, set_whole] = useState(false);
  const all = edges_of(queues);
  const known = new Map(queues.map((queue) => [queue.name ?? '', queue]));
  const edges = shown_edges(all, known, is_whole);
  if (edges.length === 0)
    return (
      <p class="faint">
        No queue {!knows_all(now) && 'that this token may see '}dead-letters to another one.
      </p>
    );
  const at = places(edges);
  const width = Math.max(...[...at.values()].map(({ x }) => x)) + NODE.width + 4;
  const bottom = Math.max(...[...at.values()].map(({ y, height }) => y + height)) + 6;
  const ends = ends_of(edges, at);
  const text_of = (edge: Edge, { count, unknown }: Counted) => {
    const of_queue =
      edge.kind === 'route' ? `${cut(edge.category || 'none')} ` : edge.kind === 'parking' ? 'parked ' : '';
    return of_queue + (unknown !== undefined ? '?' : count === undefined ? '' : short_count(count));
  };
  const counted_of = (edge: Edge): Counted =>
    edge.kind === 'parking' ? { count: known.get(edge.from)!.totals.parked } : from_source(edge);
  const unknown = edges.map((edge) => counted_of(edge).unknown).find((why) => why !== undefined && why !== BEING_READ);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Routes of dead letters">
      <svg class="routes" width={width} height={bottom} role="group" aria-label="Which queue dead-letters to which">
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {edges.map((edge) => {
          const [x1, x2] = [at.get(edge.from)!.x + NODE.width, at.get(edge.to)!.x - 3];
          const { leaves: y1, arrives: y2 } = ends.get(edge)!;
          const middle = (x1 + x2) / 2;
          const counted = counted_of(edge);
          return (
            <g class={`edge ${edge.kind.replace(' ', '-')}`}>
              <path d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} marker-end="url(#arrow)" />
              <text x={x1 + 6} y={y1 - 3}>
                {counted.unknown !== undefined && <title>not known: {counted.unknown}</title>}
                {text_of(edge, counted)}
              </text>
            </g>
          );
        })}
        {[...at].map(([name, box]) => (
          <Node
            key={name}
            name={name}
            queue={known.get(name)}
            is_target={edges.some((edge) => edge.to === name)}
            box={box}
          />
        ))}
      </svg>
      {unknown !== undefined && (
        <p class="faint">
          <b>?</b>: not known: {visible(unknown)}
        </p>
      )}
      {(edges.length < all.length || is_whole) && (
        <p>
          {edges.length < all.length && <>And {plural(all.length - edges.length, 'more arrow')}. </>}
          <Button on_click={() => set_whole(!is_whole)}>{is_whole ? 'Draw fewer' : `Draw all ${all.length}`}</Button>
        </p>
      )}
    </div>
  );
}
