// RoutesGraph shows which queue dead-letters where: a picture for each target, with numbers on its arrows.
import { useState, type Dispatch } from 'preact/hooks';
import type { QueueInfo } from '../api/schema';
import { knows_all, session } from '../api/session';
import { Button } from '../parts/controls';
import { count_text, plural, short_count } from '../parts/format';
import { use_store } from '../store';
import { visible, visible_plain } from '../parts/text';
import { BEING_READ } from '../parts/unknown';
import { sum_of, type Counted, type Target, type Way } from './routes';

const MOST_WAYS = 6; // how many arrows to one queue are shown before the rest is folded
const MOST_TARGETS = 12; // how many queues are shown before somebody asks for all

function said_of({ parks, categories }: Way): string {
  if (parks) return 'parked';
  if (categories.length === 0) return '';
  return (categories[0] || 'no category') + (categories.length > 1 ? ` and ${categories.length - 1} more` : '');
}

function Arrow({ counted: { count, unknown }, said }: { counted: Counted; said: string }) {
  const title = unknown === undefined ? undefined : `not known: ${visible_plain(unknown)}`;
  return (
    <span class="arrow" title={title}>
      <b>{unknown !== undefined ? '?' : short_count(count ?? 0)}</b>
      {said && <span class="said">{visible(said)}</span>}
    </span>
  );
}

function messages_in({ counts }: QueueInfo): number {
  return counts.ready + counts.waiting + counts.leased;
}

function title_of({ from, categories }: Way, queue: QueueInfo | undefined): string {
  const holds = queue ? `: ${plural(messages_in(queue), 'message')}` : '';
  const only = categories.length > 0 ? `; only for ${categories.map((one) => one || 'without category').join(', ')}` : '';
  return visible_plain(from + holds + only);
}

function Source({ way, counted, queue }: { way: Way; counted: Counted; queue?: QueueInfo }) {
  const is_dead = (queue?.counts.dead ?? 0) > 0;
  return (
    <li class={way.parks ? 'edge parking' : 'edge'}>
      <a
        class="node"
        href={`/${is_dead ? 'dead-letters' : 'queues'}/${way.from}`}
        title={title_of(way, queue)}
      >
        {way.from}
      </a>
      <Arrow counted={counted} said={said_of(way)} />
    </li>
  );
}

function Into({ name, queue }: Target) {
  if (!queue)
    return (
      <div class="node into unknown" title="This token may not see the queue, or it does not exist.">
        <span>{name}</span>
        <small>not known</small>
      </div>
    );
  const { dead } = queue.counts;
  return (
    <a
      class={dead > 0 ? 'node into dead' : 'node into'}
      href={`/dead-letters/${name}`}
      title={`${name}: ${plural(messages_in(queue), 'message')}, ${count_text(dead)} of them dead letters`}
    >
      <span>{name}</span>
      <small>{dead > 0 ? `${short_count(dead)} dead` : messages_in(queue) > 0 ? 'none dead' : 'empty'}</small>
    </a>
  );
}

// Rest shows one arrow for the remaining ways to a queue.
function Rest({ ways, set_open }: { ways: Target['ways']; set_open: Dispatch<boolean> }) {
  return (
    <li class="edge rest">
      <button type="button" class="link" onClick={() => set_open(true)}>
        and {plural(ways.length, 'more', 'more')}
      </button>
      <Arrow counted={sum_of(ways)} said="" />
    </li>
  );
}

function Picture({ target, known }: { target: Target; known: ReadonlyMap<string, QueueInfo> }) {
  const [open, set_open] = useState(false);
  const { name, ways } = target;
  const folds = ways.length > MOST_WAYS;
  const shown = folds && !open ? ways.slice(0, MOST_WAYS - 1) : ways;
  return (
    <li class="target">
      <ul aria-label={`What goes to ${name}`}>
        {shown.map(([way, counted]) => (
          <Source way={way} counted={counted} queue={known.get(way.from)} />
        ))}
        {shown.length < ways.length && <Rest ways={ways.slice(shown.length)} set_open={set_open} />}
        {folds && open && (
          <li>
            <button type="button" class="link" onClick={() => set_open(false)}>
              Show fewer
            </button>
          </li>
        )}
      </ul>
      <Into {...target} />
    </li>
  );
}

function None({ only_dead }: { only_dead: boolean }) {
  const whose = knows_all(use_store(session)) ? '' : ' that this token may see';
  if (only_dead) return <p class="faint">No queue{whose} that others dead-letter to has dead letters.</p>;
  return (
    <p class="faint">
      No queue{whose} dead-letters to another one.
    </p>
  );
}

interface GraphProps {
  queues: QueueInfo[];
  targets: Target[];
  only_dead: boolean; // whether only queues with dead letters are shown
}

export function RoutesGraph({ queues, targets, only_dead }: GraphProps) {
  const [is_whole, set_whole] = useState(false);
  const wanted = only_dead ? targets.filter(({ queue }) => (queue?.counts.dead ?? 0) > 0) : targets;
  if (wanted.length === 0) return <None only_dead={only_dead} />;
  const known = new Map(queues.map((queue) => [queue.name ?? '', queue]));
  const shown = is_whole ? wanted : wanted.slice(0, MOST_TARGETS);
  const unknown = shown
    .flatMap(({ ways }) => ways)
    .map(([, counted]) => counted.unknown)
    .find((why) => why !== undefined && why !== BEING_READ);
  return (
    <>
      <ul class="routes" aria-label="Which queue dead-letters to which">
        {shown.map((target) => (
          <Picture key={target.name} target={target} known={known} />
        ))}
      </ul>
      {unknown !== undefined && (
        <p class="faint">
          <b>?</b>: not known: {visible(unknown)}
        </p>
      )}
      {wanted.length > MOST_TARGETS && (
        <p>
          {!is_whole && <>And {plural(wanted.length - shown.length, 'more queue')} that dead letters go to. </>}
          <Button on_click={() => set_whole(!is_whole)}>{is_whole ? 'Show fewer' : `Show all ${wanted.length}`}</Button>
        </p>
      )}
    </>
  );
}
