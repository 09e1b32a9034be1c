// A queue: its numbers, a look at its messages, and its options.
import { useEffect, useState } from 'preact/hooks';
import { call, call_tagged } from '../api/client';
import type { PeekedMessage, QueueInfo, Rate } from '../api/schema';
import { session, why_not } from '../api/session';
import { BodyView } from '../edits/body_view';
import { Lines } from '../parts/charts';
import { Badge, Button, Card, Figure, Input, Loading, say, say_wrong, Tabs, Wrong } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import {
  age_text,
  bytes_text,
  count_text,
  duration_text,
  plural,
  rate_text,
  short_count,
  time_text,
} from '../parts/format';
import { OptionsForm } from '../queues/options_form';
import { use_store } from '../store';
import { Text, visible } from '../parts/text';
import { use_api } from '../parts/use_api';
import { change_query, go, use_place } from '../router';
import { SendForm } from './send';

interface Sample {
  at: number;
  sent: number;
  acked: number;
  dead: number;
}
const SAMPLES = 300;

// Rates since the page was opened: differences of the totals.
function use_rates(queue: QueueInfo | undefined): Sample[] {
  const [all, set_all] = useState<Sample[]>([]);
  useEffect(() => {
    if (!queue) return;
    const { sent, acked, deadLettered } = queue.totals;
    set_all((before) => [...before, { at: Date.now() / 1000, sent, acked, dead: deadLettered }].slice(-SAMPLES));
  }, [queue]);
  return all.slice(1).map((now, i) => {
    const seconds = Math.max(now.at - all[i].at, 0.001);
    const rate = (of: 'sent' | 'acked' | 'dead') => Math.max(0, now[of] - all[i][of]) / seconds;
    return { at: now.at, sent: rate('sent'), acked: rate('acked'), dead: rate('dead') };
  });
}

// The server's own: of the last minute, and of five.
const rate_of = (rate: Rate | undefined) =>
  rate && `${rate_text(rate.oneMinute)}; ${rate_text(rate.fiveMinutes)} over five minutes`;

function Peeked({ message }: { message: PeekedMessage }) {
  const [open, set_open] = useState(false);
  return (
    <>
      <tr>
        <td class="number">
          <button type="button" class="link" aria-expanded={open} onClick={() => set_open(!open)}>
            {message.scheduled ? 'scheduled' : message.seq}
          </button>
        </td>
        <td>
          <Badge kind={message.state === 'ready' ? 'done' : 'info'}>{message.state}</Badge>
        </td>
        <td title={time_text(message.sentAt)}>{age_text(message.sentAt)}</td>
        <td>{message.due ? time_text(message.due) : '—'}</td>
        <td class="number">{message.deliveries}</td>
        <td class="preview">
          {message.redacted?.includes('body') ? (
            <span class="faint">hidden from this token</span>
          ) : (
            <Text of={message.body?.slice(0, 200) ?? (message.bodyBase64 ? '(not UTF-8)' : '')} mono empty="empty" />
          )}
        </td>
      </tr>
      {open && (
        <tr>
          <td colSpan={6}>
            {message.redacted?.includes('body') ? (
              <p class="note warning">The body is hidden from this token.</p>
            ) : (
              <BodyView of={message} name={`${message.id}.txt`} />
            )}
            <p class="sub">
              id <span class="mono">{message.id}</span>
              {message.attributes?.map((one) => (
                <>
                  {' '}
                  · <Text of={one.name} mono />: <Text of={one.value ?? one.valueBase64} />
                </>
              ))}
            </p>
          </td>
        </tr>
      )}
    </>
  );
}

function Peek({ queue, version }: { queue: string; version: number }) {
  const [scheduled, set_scheduled] = useState(false);
  const [starts, set_starts] = useState<string[]>([]);
  const start = starts.at(-1);
  const page = use_api(
    `${queue} ${scheduled} ${start} ${version}`,
    (signal) =>
      call('peek', {
        path: { queue },
        query: {
          bodies: true,
          max: 50,
          ...(scheduled ? { scheduled } : {}),
          ...(start === undefined ? {} : scheduled ? { fromScheduled: start } : { from: Number(start) }),
        } as never,
        signal,
      }),
    { every: 0, after: () => false },
  );
  const items = page.data?.items ?? [];
  const next = page.data?.next;
  const next_text =
    next === undefined || next === null
      ? undefined
      : typeof next === 'object'
        ? String(Object.values(next).find((one) => one !== undefined && one !== null) ?? '') || undefined
        : String(next);
  return (
    <>
      <div class="bar">
        <Tabs
          label="Which"
          value={scheduled ? 'scheduled' : 'log'}
          choices={[
            ['log', 'In the queue'],
            ['scheduled', 'Scheduled'],
          ]}
          on_change={(one) => {
            set_scheduled(one === 'scheduled');
            set_starts([]);
          }}
        />
        <Button on_click={page.reload}>Look again</Button>
        <Button
          reason={starts.length === 0 ? 'This is the first page.' : undefined}
          on_click={() => set_starts(starts.slice(0, -1))}
        >
          Back
        </Button>
        <Button
          reason={next_text === undefined ? 'This is the last page.' : undefined}
          on_click={() => set_starts([...starts, next_text!])}
        >
          Next
        </Button>
      </div>
      <Wrong error={page.error} />
      {page.loading && <Loading />}
      {page.data && items.length === 0 && <p class="faint">No message is here.</p>}
      {items.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Messages">
          <table class="rows">
            <thead>
              <tr>
                <th scope="col" class="number">
                  Place
                </th>
                <th scope="col">State</th>
                <th scope="col">Sent</th>
                <th scope="col">Due</th>
                <th scope="col" class="number">
                  Deliveries
                </th>
                <th scope="col">Body</th>
              </tr>
            </thead>
            <tbody>
              {items.map((one) => (
                <Peeked key={one.id} message={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Pauses({ queue, reload }: { queue: QueueInfo; reload: () => void }) {
  const now = use_store(session);
  const name = queue.name ?? '';
  const turn = (what: 'deliveries' | 'sends') => async () => {
    try {
      await call(queue.paused[what] ? 'resumeQueue' : 'pauseQueue', { path: { name }, body: { [what]: true } });
      say(`${name}: ${what} are ${queue.paused[what] ? 'on again' : 'stopped'}.`);
      reload();
    } catch (failure) {
      say_wrong(failure);
    }
  };
  const reason = why_not(now, 'operate', name);
  return (
    <>
      <Button on_click={() => void turn('deliveries')()} reason={reason}>
        {queue.paused.deliveries ? 'Resume deliveries' : 'Pause deliveries'}
      </Button>
      <Button on_click={() => void turn('sends')()} reason={reason}>
        {queue.paused.sends ? 'Resume sends' : 'Pause sends'}
      </Button>
    </>
  );
}

const ENDS = {
  purge: { title: 'Purge', what: 'All its messages are deleted for good, also those that are leased.' },
  delete: { title: 'Delete', what: 'The queue, its options and all its messages are deleted for good.' },
} as const;
type End = keyof typeof ENDS;

// Nobody does it by a slip: the name has to be typed.
function EndDialog({
  end,
  queue,
  on_close,
  on_done,
}: {
  end: End;
  queue: QueueInfo;
  on_close: () => void;
  on_done: () => void;
}) {
  const [typed, set_typed] = useState('');
  const [busy, set_busy] = useState(false);
  const name = queue.name ?? '';
  const { ready, waiting, leased, dead } = queue.counts;
  const act = async () => {
    set_busy(true);
    try {
      if (end === 'purge') {
        const { purged = 0 } = await call('purgeQueue', { path: { name }, body: {} });
        say(`${name}: ${plural(purged, 'message is', 'messages are')} gone.`);
      } else {
        await call('deleteQueue', { path: { name } });
        say(`${name} is deleted.`);
      }
      on_done();
    } catch (failure) {
      say_wrong(failure);
      set_busy(false);
    }
  };
  const reason = typed === name ? undefined : 'The name has to be typed as it is.';
  return (
    <Dialog title={`${ENDS[end].title} ${name}`} on_close={on_close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason) void act();
        }}
      >
        <p class="note warning">{ENDS[end].what}</p>
        <p>
          It has <strong>{plural(ready + waiting + leased, 'message')}</strong>
          {dead > 0 && <>, of which {count_text(dead)} are dead letters</>}.
        </p>
        <Input label={`Type ${name}`} value={typed} on_change={set_typed} />
        <div class="buttons">
          <Button on_click={on_close}>Cancel</Button>
          <Button submit kind="danger" reason={reason} busy={busy}>
            {ENDS[end].title} {name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Ends({ queue, reload }: { queue: QueueInfo; reload: () => void }) {
  const now = use_store(session);
  const [end, set_end] = useState<End | null>(null);
  const reason = why_not(now, 'administer', queue.name ?? '');
  return (
    <fieldset>
      <legend>For good</legend>
      <div class="actions">
        <Button kind="danger" reason={reason} on_click={() => set_end('purge')}>
          Purge…
        </Button>
        <Button kind="danger" reason={reason} on_click={() => set_end('delete')}>
          Delete…
        </Button>
      </div>
      {end && (
        <EndDialog
          end={end}
          queue={queue}
          on_close={() => set_end(null)}
          on_done={() => {
            set_end(null);
            end === 'delete' ? go('/') : reload();
          }}
        />
      )}
    </fieldset>
  );
}

export function Queue({ queue: name }: { queue: string }) {
  const { query } = use_place();
  const now = use_store(session);
  const view = query.get('view') ?? 'rates';
  const [version, set_version] = useState(0);
  const info = use_api(name, (signal) => call_tagged('describeQueue', { path: { name }, signal }), {
    every: 2000,
  });
  const look = why_not(now, 'operate', name);
  const statistics = use_api(look ? null : name, (signal) => call('queueStatistics', { path: { name }, signal }), {
    every: 5000,
  });
  const rates = use_rates(info.data?.told);
  const queue = info.data?.told;
  if (!queue)
    return (
      <>
        <h1>{visible(name)}</h1>
        <Wrong error={info.error} />
        {info.loading && <Loading />}
      </>
    );
  const told = statistics.data;
  return (
    <>
      <div class="page-head">
        <h1>{visible(name)}</h1>
        {queue.paused.deliveries && <Badge kind="info">deliveries paused</Badge>}
        {queue.paused.sends && <Badge kind="info">sends paused</Badge>}
        <Pauses queue={queue} reload={info.reload} />
        {queue.counts.dead > 0 && (
          <a href={`/dead-letters/${name}`}>{count_text(queue.counts.dead)} dead letters here</a>
        )}
        {queue.options?.deadLetterQueue && (
          <span class="faint">
            dead letters go to{' '}
            <a href={`/dead-letters/${queue.options.deadLetterQueue}`}>{queue.options.deadLetterQueue}</a>
          </span>
        )}
      </div>
      <Wrong error={info.error} />
      <dl class="figures">
        <Figure
          label="Ready"
          value={short_count(queue.counts.ready)}
          more={told?.oldestReady ? `oldest ${age_text(told.oldestReady)}` : undefined}
        />
        <Figure label="Leased" value={short_count(queue.counts.leased)} />
        <Figure label="Waiting" value={short_count(queue.counts.waiting)} />
        <Figure
          label="Bytes"
          value={bytes_text(queue.bytes)}
          more={told ? `${bytes_text(told.diskBytes)} on disk` : undefined}
        />
        <Figure
          label="Sent"
          value={short_count(queue.totals.sent)}
          more={rate_of(told?.sent)}
        />
        <Figure
          label="Acknowledged"
          value={short_count(queue.totals.acked)}
          more={rate_of(told?.acked)}
        />
        <Figure
          label="Dead-lettered"
          value={short_count(queue.totals.deadLettered)}
          more={rate_of(told?.deadLettered)}
        />
      </dl>
      <Card
        title={{ rates: 'Rates', peek: 'Messages', send: 'Send a message', options: 'Options' }[view] ?? 'Rates'}
        wide
        tools={
          <Tabs
            label="View"
            value={view}
            choices={[
              ['rates', 'Rates'],
              ['peek', 'Peek'],
              ['send', 'Send'],
              ['options', 'Options'],
            ]}
            on_change={(one) => change_query({ view: one === 'rates' ? null : one })}
          />
        }
      >
        {view === 'rates' && (
          <>
            <Lines
              x={rates.map((one) => one.at)}
              x_is_time
              x_text={(at) => new Date(at * 1000).toISOString().slice(11, 19)}
              y_text={rate_text}
              label={`Rates of ${name} since this page was opened`}
              lines={[
                { name: 'sent', values: rates.map((one) => one.sent) },
                { name: 'acknowledged', values: rates.map((one) => one.acked) },
                { name: 'dead-lettered', values: rates.map((one) => one.dead) },
              ]}
            />
            <p class="faint">
              The lines begin when this page was opened; the rates above them are the server’s, of the last minute and the
              last five. The queue was created {time_text(queue.createdAt)}; leases are{' '}
              {duration_text(queue.options?.lease ?? 0)}.
            </p>
          </>
        )}
        {view === 'peek' && (look ? <p class="note warning">{look}</p> : <Peek queue={name} version={version} />)}
        {view === 'send' && (
          <SendForm
            queue={name}
            on_sent={() => {
              set_version((n) => n + 1);
              info.reload();
            }}
          />
        )}
        {view === 'options' && (
          <>
            <OptionsForm
              key={name}
              name={name}
              options={queue.options ?? null}
              tag={info.data?.tag}
              on_done={info.reload}
            />
            <Ends queue={queue} reload={info.reload} />
          </>
        )}
      </Card>
    </>
  );
}

export function NewQueue() {
  const [name, set_name] = useState('');
  return (
    <>
      <h1>New queue</h1>
      <Card title="Name and options" wide>
        <OptionsForm name={name} on_name={set_name} options={null} on_done={() => go(`/queues/${name}?view=options`)} />
      </Card>
    </>
  );
}
