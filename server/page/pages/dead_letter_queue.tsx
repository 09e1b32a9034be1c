// DeadLetterQueue is the page of a dead letter queue: its numbers, its groups of failures, and its letters one by one.
import { useEffect, useState } from 'preact/hooks';
import { call, NO_QUEUE } from '../api/client';
import type { DeadLetterFilterInput, Operations, QueueInfo } from '../api/schema';
import { session, why_not } from '../api/session';
import { Badge, Button, Card, Tabs, Wrong } from '../parts/controls';
import { BulkDialog } from '../letters/bulk';
import type { Wanted } from '../letters/bulk_verbs';
import { FilterChips, FilterForm, only_filter } from '../letters/filter';
import { filter_of, is_empty, wrong_in_filter } from '../letters/filter_query';
import { server_now, time_text } from '../parts/format';
import { holding } from '../queues/alerts';
import { use_store } from '../store';
import { visible } from '../parts/text';
import { of_queue, use_api } from '../parts/use_api';
import { change_query, use_place } from '../router';
import { Numbers } from '../queues/queue_numbers';
import { Groups } from '../letters/letter_groups';
import { Letters } from '../letters/letter_list';

const visit_key = (queue: string) => `holdfast-visit-${queue}`;

// Somebody who looks at a letter and returns within this time is still on the same visit.
const VISIT_MS = 30 * 60 * 1000;

// Returns when the visit before this one ended, in this browser. The tab remembers it while its visit goes on.
function last_visit_of(queue: string): number | null {
  const ended = Number(localStorage.getItem(visit_key(queue))) || null;
  const before = sessionStorage.getItem(visit_key(queue));
  if (before !== null && ended !== null && server_now() - ended < VISIT_MS) return Number(before) || null;
  sessionStorage.setItem(visit_key(queue), String(ended ?? 0));
  return ended;
}

function use_last_visit(queue: string): number | null {
  const [last] = useState(() => last_visit_of(queue));
  useEffect(() => {
    const note = () => localStorage.setItem(visit_key(queue), String(server_now()));
    window.addEventListener('pagehide', note);
    return () => {
      note();
      window.removeEventListener('pagehide', note);
    };
  }, [queue]);
  return last;
}

// The number is not known if the server has counted only a part of the letters. If all letters are meant, the queue
// itself tells it.
function count_of(
  match: Operations['groupDeadLetters']['answer'] | undefined,
  filter: DeadLetterFilterInput,
  info: QueueInfo | undefined,
): number | undefined {
  if (match?.complete) return match.total;
  return match && is_empty(filter) && !filter.history ? info?.counts.dead : undefined;
}

export function DeadLetterQueue({ queue }: { queue: string }) {
  const { query } = use_place();
  const now = use_store(session);
  const view = query.get('view') === 'letters' ? 'letters' : 'groups';
  const filters = only_filter(query);
  const filter = filter_of(filters);
  const filter_wrong = wrong_in_filter(query);
  const [wanted, set_wanted] = useState<Wanted | null>(null);
  const [version, set_version] = useState(0);
  const [touched, set_touched] = useState(0);
  const [form, set_form] = useState(false);
  const may_look = why_not(now, 'operate', queue);
  const last_visit = use_last_visit(queue);
  const info = use_api(queue, (signal) => call('describeQueue', { path: { name: queue }, signal }), {
    every: 5000,
    after: of_queue(queue),
  });
  const known = use_api(
    may_look ? null : queue,
    async (signal) => {
      const [categories, sources] = await Promise.all(
        (['category', 'source'] as const).map((by) =>
          call('groupDeadLetters', { path: { queue }, query: { by, max: 50 }, signal }),
        ),
      );
      return {
        categories: (categories.groups ?? []).map((one) => one.value ?? ''),
        sources: (sources.groups ?? []).map((one) => one.value ?? ''),
      };
    },
    { every: 0, after: () => false },
  );
  const match = use_api(
    may_look || filter_wrong ? null : `${queue} ${filters}`,
    (signal) => call('groupDeadLetters', { path: { queue }, query: { ...filter_of(filters), by: 'status' }, signal }),
    { every: 5000, after: of_queue(queue) },
  );
  const reload = () => {
    set_version((n) => n + 1);
    info.reload();
    match.reload();
  };
  // An action that changes letters and removes none leaves the list where it is.
  const on_done = ({ verb }: Wanted) => {
    if (verb === 'discard' || verb === 'park') return reload();
    set_touched((n) => n + 1);
    match.reload();
  };
  const described: QueueInfo | undefined = info.data;
  const parking = Boolean(described?.options?.parkingQueue);
  const common = { queue, filter, query: filters, ask: set_wanted, parking, version, touched };
  if (!described && info.error?.code === NO_QUEUE)
    return (
      <>
        <h1>{visible(queue)}</h1>
        <Wrong error={info.error} />
      </>
    );
  return (
    <>
      <div class="page-head">
        <h1>{visible(queue)}</h1>
        {holding(described ? [described] : []).map((one) => (
          <Badge kind={one.critical ? 'critical' : 'warning'} title={`since ${time_text(one.since)}`}>
            {one.text}
          </Badge>
        ))}
        <span class="links">
          <a href={`/queues/${queue}`}>queue and options</a> <a href={`/analytics?queue=${queue}`}>analytics</a>
        </span>
      </div>
      <Wrong error={info.error} />
      {may_look ? (
        <p class="note warning">{may_look} Its numbers and letters are not shown.</p>
      ) : (
        <>
          <Numbers queue={queue} info={described} pictures={view === 'groups'} last_visit={last_visit} />
          <Card
            title={view === 'groups' ? 'Failures that look alike' : 'Dead letters'}
            tools={
              <>
                <Tabs
                  label="View"
                  value={view}
                  choices={[
                    ['groups', 'Groups'],
                    ['letters', 'Letters'],
                  ]}
                  on_change={(one) => change_query({ view: one === 'letters' ? one : null })}
                />
                <Button on_click={() => set_form(!form)} keys="f">
                  {form ? 'Hide filters' : 'Filter'}
                </Button>
              </>
            }
          >
            {form && (
              <FilterForm query={query} sources={known.data?.sources ?? []} categories={known.data?.categories ?? []} />
            )}
            <FilterChips query={filters} />
            {filter_wrong ? (
              <p class="note critical" role="alert">
                {visible(filter_wrong)} No dead letters are shown.
              </p>
            ) : view === 'groups' ? (
              <Groups {...common} last_visit={last_visit} dead={described?.counts.dead} />
            ) : (
              <Letters {...common} total={count_of(match.data, filter, described)} reload={reload} />
            )}
          </Card>
        </>
      )}
      {wanted && <BulkDialog wanted={wanted} on_close={() => set_wanted(null)} on_done={() => on_done(wanted)} />}
    </>
  );
}
