// Dead letters one by one, however many there are.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call } from '../api/client';
import { listen } from '../api/events';
import type { DeadLetter, DeadLetterFilterInput } from '../api/schema';
import { session, why_not } from '../api/session';
import { Badge, Button, Loading, Status, Tabs } from './controls';
import { type Verb, type Wanted } from './bulk';
import { AROUND, standing_of, type Current } from './current';
import { filter_of, is_empty } from './filter_query';
import { age_text, count_text, letters_text, plural, time_text, word_of } from './format';
import { letter_pages } from './letter_pages';
import { Pager } from './pager';
import { use_store } from './store';
import { Text, visible } from './text';
import { of_queue, use_api, type Fresh } from './use_api';
import { VirtualList } from './virtual_list';
import { change_query, go, kept, use_keeping, use_place } from '../router';
import { Actions } from './letter_actions';

// Rows have two lines where there is little room: see the style sheet.
const narrow = window.matchMedia('(max-width: 760px)');
const row_height = () => (narrow.matches ? 56 : 30);

const COLUMNS = ['', 'No.', 'Died', 'Category', 'Reason', 'From', 'Version', 'Deliveries', 'Assignee', 'Status'];

// Those that a narrow screen has no room for, and those with a width of their own.
const COLUMN_CLASSES: Record<string, string> = {
  '': 'choose',
  'No.': 'seq',
  Reason: 'reason',
  From: 'minor',
  Version: 'minor',
  Deliveries: 'minor',
};

// A letter of the list, which its queue may not have any more.
type Listed = DeadLetter & { is_gone?: boolean };

function Row({ letter, chosen, on_choose }: { letter: Listed; chosen: boolean; on_choose: () => void }) {
  const record = letter.record;
  return (
    <>
      <span
        class="cell choose"
        onClick={(event) => {
          event.stopPropagation();
          on_choose();
        }}
      >
        <i class={chosen ? 'box on' : 'box'} />
      </span>
      <span class="cell number seq">{letter.seq}</span>
      <span class="cell" title={time_text(record?.diedAt)}>
        {age_text(record?.diedAt)}
      </span>
      <span class="cell">
        <Text of={record?.rejection?.category} />
      </span>
      <span class="cell reason">
        <Text of={record?.rejection?.reason} empty={word_of(record?.cause)} />
      </span>
      <span class="cell minor">
        <Text of={record?.sourceQueue} />
      </span>
      <span class="cell minor">
        <Text of={record?.consumer?.version} />
      </span>
      <span class="cell number minor">
        {record?.deliveries ?? 0}
        {(record?.replays ?? 0) > 0 && ` +${record!.replays}↺`}
      </span>
      <span class="cell">
        <Text of={letter.triage?.assignee} />
      </span>
      <span class="cell">
        {letter.is_gone ? <Badge kind="info">gone</Badge> : <Status of={letter.triage?.status} />}
      </span>
    </>
  );
}

function use_pager(
  queue: string,
  query: URLSearchParams,
  oldest_first: boolean,
  total: number | undefined,
  version: number,
): Pager<Listed> {
  const [, redraw] = useState(0);
  const pager = useMemo(
    () => new Pager<Listed>(letter_pages(queue, filter_of(query), oldest_first), () => redraw((n) => n + 1)),
    [queue, query.toString(), oldest_first, version],
  );
  pager.expect(total);
  useEffect(() => {
    void pager.show(0, 0);
    return () => pager.stop();
  }, [pager]);
  return pager;
}

interface Cursor extends Current {
  around: number; // how far about its place the letter is looked for: see standing_of()
  move_to: (index: number) => void;
}

// The current letter, which stays so wherever the list has it.
function use_current(pager: Pager<Listed>): Cursor {
  const [held, hold] = useState<Current>(() => kept<Current>('letter') ?? { index: 0 });
  const is_sought = useRef(held.id !== undefined);
  use_keeping('letter', held);
  // The first pager is that of the place that somebody came to, or came back to.
  const first = useRef(pager);
  const move_to = (index: number) => {
    is_sought.current = false;
    hold({ index, id: pager.at(index)?.id });
  };
  useEffect(() => {
    if (first.current !== pager) move_to(0);
  }, [pager]);
  const around = is_sought.current ? AROUND : 0;
  const now = standing_of(pager, held, around);
  useEffect(() => {
    if (now.id === undefined) return;
    is_sought.current = false;
    if (now.id !== held.id || now.index !== held.index) hold(now);
  }, [now.id, now.index, held]);
  return { ...now, around, move_to };
}

const LOOK_MS = 3000;

// What others do about the letters in sight has no event: they are looked at again and again, each in its place.
function use_triage(queue: string, pager: Pager<Listed>, sight: () => [first: number, last: number]): Fresh<null> {
  const read = async (signal: AbortSignal): Promise<null> => {
    const [first, last] = sight();
    const ids: string[] = [];
    for (let i = first; i <= last; ++i) ids.push(...(pager.at(i)?.id ? [pager.at(i)!.id!] : []));
    if (ids.length === 0) return null;
    const query = { ids, history: true, max: ids.length };
    const page = await call('listDeadLetters', { path: { queue }, query, signal });
    const now = new Map((page.items ?? []).map((one) => [one.id, one]));
    const were_asked = new Set(ids);
    pager.renew(first, last, (one) => now.get(one.id) ?? { ...one, is_gone: were_asked.has(one.id ?? '') && !page.next });
    return null;
  };
  return use_api(queue, read, { every: LOOK_MS, after: of_queue(queue) });
}

// Whether the list would still have it.
const is_listed = (letter: Listed, { history, status, assignee }: DeadLetterFilterInput): boolean =>
  !letter.is_gone &&
  (history === true || !letter.history) &&
  (status === undefined || status === letter.triage?.status) &&
  (assignee === undefined || assignee === (letter.triage?.assignee ?? ''));

export function Letters({
  queue,
  filter,
  query,
  ask,
  parking,
  total,
  version,
  touched,
  reload,
}: {
  queue: string;
  filter: DeadLetterFilterInput;
  query: URLSearchParams;
  ask: (wanted: Wanted) => void;
  parking: boolean;
  total?: number;
  version: number; // counts what was done here that changes which letters there are
  touched: number; // and what changes how they are
  reload: () => void;
}) {
  const now = use_store(session);
  const oldest_first = use_place().query.get('sort') === 'oldest';
  const pager = use_pager(queue, query, oldest_first, total, version);
  const current = use_current(pager);
  const [chosen, set_chosen] = useState<ReadonlySet<string>>(new Set());
  const [arrived, set_arrived] = useState(0);
  const [row, set_row] = useState(row_height());
  const anchor = useRef(0);
  const sight = useRef<[number, number]>([0, 0]);
  const triage = use_triage(queue, pager, () => sight.current);
  useEffect(() => triage.reload(), [touched]);
  useEffect(() => {
    set_arrived(0);
    set_chosen(new Set());
  }, [pager]);
  useEffect(() => {
    const turn = () => set_row(row_height());
    narrow.addEventListener('change', turn);
    return () => narrow.removeEventListener('change', turn);
  }, []);
  useEffect(
    () => listen((event) => event.kind === 'died' && event.target === queue && set_arrived((n) => n + 1)),
    [queue],
  );
  const others = pager.all().filter((one) => !is_listed(one, filter)).length;
  const choose = (index: number) => {
    const id = pager.at(index)?.id;
    if (!id) return;
    const next = new Set(chosen);
    next.has(id) ? next.delete(id) : next.add(id);
    anchor.current = index;
    set_chosen(next);
  };
  const ids = chosen.size > 0 ? [...chosen] : [current.id ?? ''].filter(Boolean);
  const reason = why_not(now, 'operate', queue);
  const act = (verb: Verb) => {
    if (reason || ids.length === 0) return;
    ask({
      verb,
      queue,
      filter: { ids, history: true },
      which: ids.length === 1 ? `Number ${pager.at(current.index)?.seq ?? ''}` : 'Those chosen',
    });
  };
  const on_key = (key: string) => {
    if (key === ' ') {
      if (current.id !== undefined) choose(current.index);
    } else if (key === 'a') act('assign');
    else if (key === 'x') act('abandon');
    else if (key === 'n') act('note');
    else if (key === 'r' && !reason && ids.length > 0) go(`/redrives/new?queue=${queue}&ids=${ids.join(',')}`);
    else if (key === 'Escape') set_chosen(new Set());
    else return false;
    return true;
  };
  const by_hand = new URLSearchParams({ ids: [...chosen].join(',') });
  const all = is_empty(filter) ? 'All' : 'All that match';
  return (
    <>
      <div class="bar">
        {chosen.size > 0 ? (
          <Actions
            queue={queue}
            filter={{ ids: [...chosen], history: true }}
            query={by_hand}
            which={`${plural(chosen.size, 'chosen one')}`}
            ask={ask}
            parking={parking}
          />
        ) : (
          <Actions queue={queue} filter={filter} query={query} which={all} ask={ask} parking={parking} />
        )}
        <span class="for" role="status">
          {chosen.size > 0
            ? `for ${count_text(chosen.size)} chosen`
            : `for ${all.toLowerCase()}${total === undefined ? '' : `: ${count_text(total)}`}`}
        </span>
      </div>
      <div class="bar">
        <Tabs
          label="Order"
          value={oldest_first ? 'oldest' : 'newest'}
          choices={[
            ['newest', 'Newest first'],
            ['oldest', 'Oldest first'],
          ]}
          on_change={(one) => change_query({ sort: one === 'oldest' ? one : null }, true)}
        />
        {arrived > 0 && <Button on_click={reload}>{plural(arrived, 'new dead letter')} since: show</Button>}
        {others > 0 && (
          <Button on_click={reload}>
            {count_text(others)} {others === 1 ? 'does' : 'do'} not belong here any more: show without
          </Button>
        )}
        <span class="keys faint">
          <kbd>j</kbd>
          <kbd>k</kbd> move <kbd>enter</kbd> open <kbd>space</kbd> choose <kbd>a</kbd> assign <kbd>r</kbd> redrive{' '}
          <kbd>x</kbd> abandon
        </span>
      </div>
      {pager.error !== undefined && (
        <p class="note critical" role="alert">
          {visible((pager.error as Error).message)} <Button on_click={reload}>Try again</Button>
        </p>
      )}
      {pager.begun && pager.length === 0 && pager.error === undefined && (
        <p class="faint">No dead letter {is_empty(filter) ? 'is here' : 'matches'}.</p>
      )}
      {!pager.begun && pager.error === undefined && <Loading />}
      {pager.begun && pager.length > 0 && (
        <VirtualList
          count={pager.length}
          row_height={row}
          label={`Dead letters of ${queue}`}
          current={current.index}
          on_current={current.move_to}
          head={COLUMNS.map((name) => (
            <span class={`cell ${COLUMN_CLASSES[name] ?? ''}`}>{name}</span>
          ))}
          on_seen={(first, last) => {
            sight.current = [first, last];
            void pager.show(Math.max(0, first - current.around), last + current.around);
          }}
          on_key={on_key}
          on_open={(index) => pager.at(index) && go(`/dead-letters/${queue}/${pager.at(index)!.id}`)}
          row={(index) => {
            const letter = pager.at(index);
            if (!letter) return { content: <span class="cell faint">…</span> };
            const is_chosen = chosen.has(letter.id ?? '');
            return {
              content: <Row letter={letter} chosen={is_chosen} on_choose={() => choose(index)} />,
              classes: letter.history || letter.is_gone ? 'history' : '',
              selected: is_chosen,
            };
          }}
        />
      )}
      <p class="faint">
        {total !== undefined || pager.is_whole
          ? `${letters_text(total ?? pager.length)}.`
          : pager.begun && `${count_text(pager.length)} read; how many there are is not known. More as you scroll.`}
      </p>
    </>
  );
}
