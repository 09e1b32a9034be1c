// Prepares a redrive: which letters and how, what would happen, and the question.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { DeadLetter, Operations, QueueInfo, RedriveOptionsInput } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button, Card, Figure, say_wrong, Select, Wrong } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Fields } from '../parts/fields';
import { values_of, wrong_in, type FieldSpec, type Texts } from '../parts/field_values';
import { FilterChips, only_filter } from '../letters/filter';
import { filter_of, is_empty, until_now, wrong_in_filter } from '../letters/filter_query';
import { age_text, count_text, duration_text, letters_text, short_count, word_of } from '../parts/format';
import { use_queues } from '../queues/queues';
import { note_started } from '../queues/started';
import { use_store } from '../store';
import { Text, visible } from '../parts/text';
import { dead_letter_queues } from '../queues/routes';
import { Unknown, why_unknown } from '../parts/unknown';
import { type Fresh } from '../parts/use_api';
import { LostNote } from '../parts/lost_note';
import { use_once, type Lost, type Once } from '../parts/use_once';
import { change_query, go, use_place } from '../router';
import { Left, left_sum } from '../queues/redrive_task';

const FIELDS: readonly FieldSpec[] = [
  {
    name: 'rate',
    label: 'Rate',
    kind: 'whole',
    least: 1,
    most: 1_000_000,
    hint: 'Empty: as fast as possible. Otherwise messages a second.',
  },
  {
    name: 'canary',
    label: 'Canary',
    kind: 'whole',
    least: 1,
    most: 1000,
    hint: 'Empty: none. Otherwise so many go first, and the rest waits for what becomes of them.',
  },
  {
    name: 'canaryPercent',
    label: 'Canary: how many must succeed (%)',
    kind: 'whole',
    least: 1,
    most: 100,
    hint: 'Empty: 100.',
  },
  { name: 'max', label: 'At most', kind: 'whole', least: 1, hint: 'Empty: all of them.' },
  {
    name: 'maxReplays',
    label: 'Leave letters replayed this often',
    kind: 'whole',
    least: 1,
    hint: 'Empty: no limit.',
  },
  {
    name: 'unlessVersion',
    label: 'Leave letters that failed on version',
    kind: 'text',
    hint: 'The version that consumers still run: what failed on it would fail again. Empty: any version goes.',
  },
  { name: 'parkRefused', label: 'Park letters replayed too often', kind: 'flag' },
];

function options_of(texts: Texts, query: URLSearchParams): RedriveOptionsInput {
  const { canaryPercent, parkRefused, ...options } = values_of(FIELDS, texts) as RedriveOptionsInput;
  return {
    filter: until_now(filter_of(query)),
    ...options,
    ...(texts.to ? { to: texts.to } : {}),
    ...(options.canary ? { canaryPercent: canaryPercent ?? 100 } : {}),
    ...(options.maxReplays && parkRefused ? { parkRefused } : {}),
  };
}

type Redriven = Operations['redrive']['answer'];

function Sample({ letters, queue, to }: { letters: DeadLetter[]; queue: string; to?: string }) {
  if (letters.length === 0) return null;
  return (
    <>
      <h3>For example</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label="Sample">
        <table class="rows">
          <tbody>
            {letters.map((one) => (
              <tr>
                <td class="number">
                  <a href={`/dead-letters/${queue}/${one.id}`}>{one.seq}</a>
                </td>
                <td class="value short">
                  <Text of={one.record?.rejection?.reason} empty={word_of(one.record?.cause)} />
                  <div class="sub">
                    <Text of={one.record?.rejection?.category} empty="no category" />, to{' '}
                    <Text of={to ?? one.record?.sourceQueue} />
                  </div>
                </td>
                <td>{age_text(one.record?.diedAt)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const LostRedrive = ({ tried, how }: Lost) => (
  <LostNote
    {...{ tried, how }}
    sent="a redrive was started"
    perhaps="may run"
    again="another try may start a second redrive"
    changed="The form now asks for another redrive."
  >
    <a href="/redrives">All redrives</a>
  </LostNote>
);

function Confirm({
  queue,
  options,
  preview,
  once,
  filters,
  on_close,
}: {
  queue: string;
  options: RedriveOptionsInput;
  preview: Redriven;
  once: Once;
  filters: URLSearchParams;
  on_close: () => void;
}) {
  const [busy, set_busy] = useState(false);
  const [, redraw] = useState(0);
  const lost = once.lost(() => ({ queue, options }));
  const start = async () => {
    // The server may have forgotten the try since the dialog was drawn.
    if (once.lost(() => ({ queue, options }))?.how !== lost?.how) return redraw((n) => n + 1);
    set_busy(true);
    try {
      const task = await once.act({ queue, options }, async (requestId, at) => {
        const started = await call('redrive', { path: { queue }, body: { ...options, wait: false, requestId } });
        note_started(started.task, { query: filters.toString(), edited: false }, at);
        return started.task;
      });
      go(`/redrives/${task}`);
    } catch (failure) {
      say_wrong(failure);
      set_busy(false);
    }
  };
  return (
    <Dialog title={`Redrive · ${queue}`} on_close={on_close}>
      <p>
        <strong>{letters_text(preview.moved)}</strong> go back{' '}
        {options.to ? (
          <>
            to <b>{visible(options.to)}</b>
          </>
        ) : (
          'to the queues that they came from'
        )}
        {options.rate ? (
          <>
            , {count_text(options.rate)} a second, in about {duration_text(preview.moved / options.rate)}
            {options.canary ? ' plus the wait for the canary' : ''}
          </>
        ) : (
          ', as fast as possible'
        )}
        .
      </p>
      {options.canary ? (
        <p>
          First {letters_text(Math.min(options.canary, preview.moved))}; the rest only if {options.canaryPercent} % of those
          are acknowledged.
        </p>
      ) : null}
      {preview.parked > 0 && <p>{letters_text(preview.parked)} are parked.</p>}
      <Left left={preview.left} />
      <p class="faint">
        Letters that die meanwhile stay. A redrive can be cancelled, but what has gone by then does not come back.
      </p>
      {lost && <LostRedrive {...lost} />}
      <div class="buttons">
        <Button on_click={on_close}>Cancel</Button>
        <Button kind="main" busy={busy} on_click={() => void start()}>
          Redrive {letters_text(preview.moved)}
          {lost?.how === 'forgotten' && ', perhaps a second time'}
        </Button>
      </div>
    </Dialog>
  );
}

const names_of = (queues: QueueInfo[]): string[] => queues.map((one) => one.name ?? '');

// Asks for the queue if the address names none.
function WhichQueue({ queues }: { queues: Fresh<QueueInfo[]> }) {
  const names = names_of(dead_letter_queues(queues.data ?? []));
  const unknown = why_unknown(queues);
  return (
    <>
      <h1>Redrive</h1>
      <Card title="Which dead letter queue?" wide>
        {unknown !== undefined ? (
          <Unknown because={unknown} />
        ) : names.length === 0 ? (
          <p class="faint">There is no dead letter queue that you may see.</p>
        ) : (
          <Select
            label="Dead letter queue"
            value=""
            on_change={(one) => change_query({ queue: one || null }, true)}
            choices={[['', 'choose one'], ...names.map((one) => [one, one] as const)]}
          />
        )}
      </Card>
    </>
  );
}

export function NewRedrive() {
  const { query } = use_place();
  const now = use_store(session);
  const queue = query.get('queue') ?? '';
  const filters = only_filter(query);
  const [texts, set_texts] = useState<Texts>({});
  const [preview, set_preview] = useState<{ of: string; told: Redriven; options: RedriveOptionsInput } | null>(null);
  const [busy, set_busy] = useState(false);
  const [asks, set_asks] = useState(false);
  const set = (name: string, text: string) => set_texts((before) => ({ ...before, [name]: text }));
  const queues = use_queues();
  const once = use_once(`redrive ${queue}`);
  const state = JSON.stringify([texts, filters.toString()]);
  const current = preview?.of === state ? preview : null;
  const filter_wrong = wrong_in_filter(query);
  const reason = why_not(now, 'operate', queue) ?? filter_wrong ?? wrong_in(FIELDS, texts);
  const look = async () => {
    set_busy(true);
    try {
      const options = options_of(texts, filters);
      const told = await call('redrive', { path: { queue }, body: { ...options, dryRun: true } });
      set_preview({ of: state, told, options });
    } catch (failure) {
      say_wrong(failure);
    }
    set_busy(false);
  };
  if (queue === '') return <WhichQueue queues={queues} />;
  const lost = once.lost(reason ? null : () => ({ queue, options: current?.options ?? options_of(texts, filters) }));
  return (
    <>
      <p class="crumbs">
        <a href={`/dead-letters/${queue}`}>{visible(queue)}</a> / redrive
      </p>
      <h1>Redrive</h1>
      {lost && !asks && <LostRedrive {...lost} />}
      <div class="columns tops">
        <Card title="Which, and how">
          {is_empty(filter_of(filters)) ? (
            <p>
              {filter_wrong ? 'Which dead letters' : 'All dead letters'} of <b>{visible(queue)}</b>
              {filter_wrong ? '?' : '.'}
            </p>
          ) : (
            <>
              <p>
                Dead letters of <b>{visible(queue)}</b> with
              </p>
              <FilterChips query={filters} fixed />
            </>
          )}
          {filter_wrong && (
            <p class="note critical" role="alert">
              {visible(filter_wrong)} <a href={`/dead-letters/${queue}?${filters}`}>Change the filter</a>
            </p>
          )}
          <Wrong error={queues.error} what="The queues are not known" />
          <form
            class="form"
            onSubmit={(event) => {
              event.preventDefault();
              if (!reason) void look();
            }}
          >
            <Select
              label="To"
              value={texts.to ?? ''}
              on_change={(one) => set('to', one)}
              choices={[
                ['', 'where they came from'],
                ...names_of(queues.data ?? [])
                  .filter((one) => one !== queue)
                  .map((one) => [one, one] as const),
              ]}
            />
            <Fields fields={FIELDS} texts={texts} on_change={set} />
            <div class="buttons">
              <Button submit busy={busy} kind={current ? 'plain' : 'main'} reason={reason}>
                Dry run
              </Button>
            </div>
          </form>
        </Card>
        <Card title="What would happen">
          {!current ? (
            <p class="faint">
              {busy
                ? 'Counting…'
                : 'A dry run says how many would go, how many would stay and why, and shows some of them. It changes nothing.'}
            </p>
          ) : (
            <>
              <dl class="figures">
                <Figure label="Would go" value={short_count(current.told.moved)} />
                {current.told.parked > 0 && <Figure label="Would be parked" value={short_count(current.told.parked)} />}
                <Figure label="Would stay" value={short_count(left_sum(current.told.left))} />
              </dl>
              <Left left={current.told.left} />
              <Sample letters={current.told.sample ?? []} queue={queue} to={current.options.to} />
              <div class="buttons">
                <Button
                  kind="main"
                  reason={reason ?? (current.told.moved + current.told.parked === 0 ? 'No dead letter would go.' : undefined)}
                  on_click={() => set_asks(true)}
                >
                  Redrive {letters_text(current.told.moved)}…
                </Button>
              </div>
            </>
          )}
        </Card>
      </div>
      {asks && current && (
        <Confirm
          {...{ queue, filters, once }}
          options={current.options}
          preview={current.told}
          on_close={() => set_asks(false)}
        />
      )}
    </>
  );
}
