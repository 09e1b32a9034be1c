// Dead letters one by one, however many there are.
import { useEffect, useRef } from 'preact/hooks';
import { listen } from '../api/events';
import type { DeadLetterFilterInput } from '../api/schema';
import { session, why_not } from '../api/session';
import type { Verb, Wanted } from './bulk_verbs';
import { Button, Loading, Tabs } from '../parts/controls';
import { is_empty } from './filter_query';
import { count_text, letters_text, plural } from '../parts/format';
import { Actions } from './letter_actions';
import { Head, Row, use_row_height } from './letter_row';
import { has_left, is_listed, type Listed } from './listed';
import type { Pager } from './pager';
import { use_store } from '../store';
import { visible } from '../parts/text';
import { use_fresh } from '../parts/use_fresh';
import { use_current, use_pager, use_triage } from './use_letters';
import { VirtualList } from '../parts/virtual_list';
import { change_query, go, use_place } from '../router';

interface LettersProps {
  queue: string;
  filter: DeadLetterFilterInput;
  query: URLSearchParams;
  ask: (wanted: Wanted) => void;
  parking: boolean;
  total?: number;
  version: number; // counts the actions here that changed which letters there are
  touched: number; // counts the actions here that changed letters without removing them
  reload: () => void;
}

// The letters that were chosen by hand. Chosen letters that have left the list are counted apart: nothing more is done
// to them, and an action never falls back to the whole list.
interface Chosen {
  ids: string[];
  left: number;
  is_none: boolean;
}

const which_text = ({ filter, total }: LettersProps): string =>
  `for ${is_empty(filter) ? 'all' : 'all that match'}${total === undefined ? '' : `: ${count_text(total)}`}`;

const chosen_text = ({ ids, left }: Chosen): string =>
  `for ${count_text(ids.length)} chosen${left > 0 ? `; ${plural(left, 'chosen one has', 'chosen ones have')} left` : ''}`;

function ActionBar({ of, chosen, choose_none }: { of: LettersProps; chosen: Chosen; choose_none: () => void }) {
  const { queue, filter, query, ask, parking } = of;
  const by_hand = new URLSearchParams({ ids: chosen.ids.join(',') });
  const all = is_empty(filter) ? 'All' : 'All that match';
  return (
    <div class="bar">
      {chosen.is_none ? (
        <Actions {...{ queue, filter, query, ask, parking }} which={all} />
      ) : chosen.ids.length === 0 ? (
        <Button on_click={choose_none}>Choose none</Button>
      ) : (
        <Actions
          {...{ queue, ask, parking }}
          filter={{ ids: chosen.ids, history: true }}
          query={by_hand}
          which={plural(chosen.ids.length, 'chosen one')}
        />
      )}
      <span class="for" role="status">
        {chosen.is_none ? which_text(of) : chosen_text(chosen)}
      </span>
    </div>
  );
}

interface OrderProps {
  oldest_first: boolean;
  arrived: number; // how many letters died since the list was read
  others: number; // how many letters do not belong to the list any more
  reload: () => void;
}

function OrderBar({ oldest_first, arrived, others, reload }: OrderProps) {
  return (
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
          {count_text(others)} no longer {others === 1 ? 'belongs' : 'belong'} here: hide
        </Button>
      )}
      <span class="keys faint">
        <kbd>j</kbd>
        <kbd>k</kbd> move <kbd>enter</kbd> open <kbd>space</kbd> choose <kbd>a</kbd> assign <kbd>r</kbd> redrive{' '}
        <kbd>x</kbd> abandon
      </span>
    </div>
  );
}

// Says why there is no list: an error, letters that are still being read, or no letters.
function Standing({ pager, of }: { pager: Pager<Listed>; of: LettersProps }) {
  if (pager.error !== undefined)
    return (
      <p class="note critical" role="alert">
        {visible((pager.error as Error).message)} <Button on_click={of.reload}>Try again</Button>
      </p>
    );
  if (!pager.started) return <Loading />;
  return pager.length === 0 ? <p class="faint">No dead letter {is_empty(of.filter) ? 'is here' : 'matches'}.</p> : null;
}

function count_line(pager: Pager<Listed>, total: number | undefined): string | false {
  if (total !== undefined || pager.is_whole) return `${letters_text(total ?? pager.length)}.`;
  return pager.started && `${count_text(pager.length)} read; the total is not known. Scroll to read more.`;
}

// Counts the letters that died into the queue since the list was read.
function use_arrived(queue: string, pager: Pager<Listed>): number {
  const [arrived, change] = use_fresh(pager, () => 0);
  useEffect(
    () => listen((event) => event.kind === 'died' && event.target === queue && change((n) => n + 1)),
    [queue],
  );
  return arrived;
}

export function Letters(props: LettersProps) {
  const { queue, filter, query, ask, total, version, touched, reload } = props;
  const reason = why_not(use_store(session), 'operate', queue);
  const oldest_first = use_place().query.get('sort') === 'oldest';
  const pager = use_pager(queue, query, oldest_first, total, version);
  const current = use_current(pager);
  const arrived = use_arrived(queue, pager);
  const row_height = use_row_height();
  const [picked, change_picked] = use_fresh<ReadonlySet<string>>(pager, () => new Set());
  const sight = useRef<[number, number]>([0, 0]);
  const is_left = (letter: Listed) => has_left(letter, filter);
  const triage = use_triage(queue, pager, () => sight.current, picked, is_left);
  useEffect(() => triage.reload(), [touched]);
  const left = new Set((triage.data ?? []).filter((id) => picked.has(id)));
  const chosen = { ids: [...picked].filter((id) => !left.has(id)), left: left.size, is_none: picked.size === 0 };
  const others = pager.all().filter((one) => !is_listed(one, filter)).length;
  const choose = (index: number) => {
    const letter = pager.at(index);
    if (!letter?.id || is_left(letter)) return;
    const next = new Set(chosen.ids);
    next.has(letter.id) ? next.delete(letter.id) : next.add(letter.id);
    change_picked(() => next);
  };
  const choose_none = () => change_picked(() => new Set());
  const ids = chosen.is_none ? [current.id ?? ''].filter(Boolean) : chosen.ids;
  const may_act = reason === undefined && ids.length > 0;
  const act = (verb: Verb) => {
    const which = chosen.is_none ? `Number ${pager.at(current.index)?.seq ?? ''}` : 'Those chosen';
    if (may_act) ask({ verb, queue, filter: { ids, history: true }, which });
  };
  const keys: Record<string, () => void> = {
    ' ': () => current.id !== undefined && choose(current.index),
    a: () => act('assign'),
    x: () => act('abandon'),
    n: () => act('note'),
    r: () => may_act && go(`/redrives/new?queue=${queue}&ids=${ids.join(',')}`),
    Escape: choose_none,
  };
  const row = (index: number) => {
    const letter = pager.at(index);
    if (!letter) return { content: <span class="cell faint">…</span> };
    const selected = picked.has(letter.id ?? '') && !left.has(letter.id ?? '');
    const content = <Row letter={letter} chosen={selected} on_choose={() => choose(index)} />;
    return { content, selected, classes: letter.history || letter.is_gone ? 'history' : '' };
  };
  return (
    <>
      <ActionBar of={props} chosen={chosen} choose_none={choose_none} />
      <OrderBar {...{ oldest_first, arrived, others, reload }} />
      <Standing pager={pager} of={props} />
      {pager.started && pager.length > 0 && (
        <VirtualList
          count={pager.length}
          row_height={row_height}
          label={`Dead letters of ${queue}`}
          current={current.index}
          on_current={current.move_to}
          head={<Head />}
          on_seen={(first, last) => {
            sight.current = [first, last];
            void pager.show(Math.max(0, first - current.around), last + current.around);
          }}
          on_key={(key) => {
            keys[key]?.();
            return key in keys;
          }}
          on_open={(index) => pager.at(index) && go(`/dead-letters/${queue}/${pager.at(index)!.id}`)}
          row={row}
        />
      )}
      <p class="faint">{count_line(pager, total)}</p>
    </>
  );
}
