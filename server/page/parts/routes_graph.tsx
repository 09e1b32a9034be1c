// Which queue dead-letters where: a picture with numbers on the arrows.
import type { QueueInfo } from '../api/schema';
import { count_text, short_count } from './format';

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

const NODE = { width: 164, height: 42, column: 300, row: 56 };
const MOST_EDGES = 60;
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

function places(edges: Edge[]): Map<string, { x: number; y: number }> {
  const rows: number[] = [];
  const at = new Map<string, { x: number; y: number }>();
  const ordered = [...depths(edges)].sort(([a, m], [b, n]) => m - n || (a < b ? -1 : 1));
  for (const [name, column] of ordered) {
    const row = (rows[column] = (rows[column] ?? -1) + 1);
    at.set(name, { x: column * NODE.column + 2, y: row * NODE.row + 4 });
  }
  // Columns with little in them stand in the middle.
  const most = Math.max(...rows.filter((row) => row !== undefined)) + 1;
  for (const [name, place] of at) {
    const column = Math.round((place.x - 2) / NODE.column);
    at.set(name, { ...place, y: place.y + ((most - rows[column] - 1) * NODE.row) / 2 });
  }
  return at;
}

interface GraphProps {
  queues: QueueInfo[];
  from_source: (edge: Edge) => number | undefined; // dead letters in `to` that came from `from`
}

export function RoutesGraph({ queues, from_source }: GraphProps) {
  const all = edges_of(queues);
  const known = new Map(queues.map((queue) => [queue.name ?? '', queue]));
  const edges = all.filter((edge) => known.has(edge.to)).slice(0, MOST_EDGES);
  if (edges.length === 0) return <p class="faint">No queue dead-letters to another one.</p>;
  const at = places(edges);
  const width = Math.max(...[...at.values()].map(({ x }) => x)) + NODE.width + 4;
  const height = Math.max(...[...at.values()].map(({ y }) => y)) + NODE.height + 6;
  const text_of = (edge: Edge) => {
    const count = edge.kind === 'parking' ? known.get(edge.from)!.totals.parked : from_source(edge);
    const of_queue =
      edge.kind === 'route' ? `${cut(edge.category || 'none')} ` : edge.kind === 'parking' ? 'parked ' : '';
    return of_queue + (count === undefined ? '' : short_count(count));
  };
  // Several arrows between the same two part a little.
  const seen = new Map<string, number>();
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Routes of dead letters">
      <svg class="routes" width={width} height={height} role="group" aria-label="Which queue dead-letters to which">
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        {edges.map((edge) => {
          const pair = `${edge.from}\n${edge.to}`;
          const nth = seen.get(pair) ?? 0;
          seen.set(pair, nth + 1);
          const [from, to] = [at.get(edge.from)!, at.get(edge.to)!];
          const [x1, y1, x2, y2] = [
            from.x + NODE.width,
            from.y + NODE.height / 2 + nth * 9,
            to.x - 3,
            to.y + NODE.height / 2 + nth * 9,
          ];
          const middle = (x1 + x2) / 2;
          return (
            <g class={`edge ${edge.kind.replace(' ', '-')}`}>
              <path d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} marker-end="url(#arrow)" />
              <text x={x1 + (x2 - x1) * 0.36} y={y1 + (y2 - y1) * 0.26 - 5} text-anchor="middle">
                {text_of(edge)}
              </text>
            </g>
          );
        })}
        {[...at].map(([name, { x, y }]) => {
          const queue = known.get(name);
          const dead = queue?.counts.dead ?? 0;
          const waits = queue ? queue.counts.ready + queue.counts.waiting + queue.counts.leased : 0;
          const href = dead > 0 || edges.some((edge) => edge.to === name) ? `/dead-letters/${name}` : `/queues/${name}`;
          return (
            <a href={href} class={dead > 0 ? 'node dead' : 'node'}>
              <title>{`${name}: ${count_text(waits)} messages, ${count_text(dead)} of them dead letters`}</title>
              <rect x={x} y={y} width={NODE.width} height={NODE.height} rx="6" />
              <text x={x + 10} y={y + 18} class="name">
                {cut(name)}
              </text>
              <text x={x + 10} y={y + 33} class="count">
                {dead > 0 ? `${short_count(dead)} dead` : short_count(waits)}
              </text>
            </a>
          );
        })}
      </svg>
    </div>
  );
}
