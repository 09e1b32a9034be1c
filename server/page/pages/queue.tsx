// Queue is the page of a queue: its numbers, a look at its messages, and its options.
import { useState } from 'preact/hooks';
import { call, call_tagged } from '../api/client';
import type { PeekedMessage, QueueInfo } from '../api/schema';
import { session, why_not } from '../api/session';
import { BodyView } from '../edits/body_view';
import { Badge, Button, Card, Loading, Tabs, Wrong } from '../parts/controls';
import { age_text, count_text, time_text } from '../parts/format';
import { OptionsForm } from '../queues/options_form';
import { Ends } from '../queues/queue_ends';
import { QueueFigures, RateLines, use_rates } from '../queues/queue_figures';
import { Pauses } from '../queues/queue_pauses';
import { ways_of, type Way } from '../queues/routes';
import { use_store } from '../store';
import { Text, visible, visible_plain } from '../parts/text';
import { use_api } from '../parts/use_api';
import { change_query, go, use_place } from '../router';
import { SendForm } from './send';

function Peeked({ message, scheduled }: { message: PeekedMessage; scheduled: boolean }) {
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
        <td class={scheduled ? '' : 'minor'}>{message.due ? time_text(message.due) : '—'}</td>
        <td class="number minor">{message.deliveries}</td>
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
          ...(start === undefined ? {} : scheduled ? { fromScheduled: start } : { from: start }),
        } as never,
        signal,
      }),
    { every: 0, after: () => false },
  );
  const items = page.data?.items ?? [];
  const next = page.data?.next.from ?? page.data?.next.fromScheduled;
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
          reason={next === undefined ? 'This is the last page.' : undefined}
          on_click={() => set_starts([...starts, next!])}
        >
          Next
        </Button>
      </div>
      <Wrong error={page.error} />
      {page.loading && <Loading />}
      {page.data && items.length === 0 && <p class="faint">No message is here.</p>}
      {items.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table of messages">
          <table class="rows peeked">
            <thead>
              <tr>
                <th scope="col" class="number">
                  Place
                </th>
                <th scope="col">State</th>
                <th scope="col">Sent</th>
                <th scope="col" class={scheduled ? '' : 'minor'}>
                  Due
                </th>
                <th scope="col" class="number minor">
                  Deliveries
                </th>
                <th scope="col">Body</th>
              </tr>
            </thead>
            <tbody>
              {items.map((one) => (
                <Peeked key={one.id} message={one} scheduled={scheduled} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

const VIEWS = [
  ['rates', 'Rates', 'Rates'],
  ['peek', 'Peek', 'Messages'],
  ['send', 'Send', 'Send a message'],
  ['options', 'Options', 'Options'],
] as const;

const WAYS_SHOWN = 4; // a queue may have a hundred, which the options and the overview show

function Ways({ queue }: { queue: QueueInfo }) {
  const ways = ways_of([queue]);
  const has_routes = ways.some((way) => way.categories.length > 0);
  const told = (way: Way) => {
    if (way.parks) return 'dead letters are parked in';
    if (way.categories.length > 0) return `dead letters of ${way.categories.map(visible_plain).join(', ')} go to`;
    return has_routes ? 'other dead letters go to' : 'dead letters go to';
  };
  return (
    <>
      {ways.slice(0, WAYS_SHOWN).map((way) => (
        <span class="faint" key={`${way.parks} ${way.to}`}>
          {told(way)} <a href={`/dead-letters/${way.to}`}>{way.to}</a>
        </span>
      ))}
      {ways.length > WAYS_SHOWN && <span class="faint">and {ways.length - WAYS_SHOWN} more ways</span>}
    </>
  );
}

function Head({ queue, reload }: { queue: QueueInfo; reload: () => void }) {
  const { name = '', paused, counts } = queue;
  return (
    <div class="page-head">
      <h1>{visible(name)}</h1>
      {paused.deliveries && <Badge kind="info">deliveries paused</Badge>}
      {paused.sends && <Badge kind="info">sends paused</Badge>}
      <Pauses queue={queue} reload={reload} />
      {counts.dead > 0 && <a href={`/dead-letters/${name}`}>{count_text(counts.dead)} dead letters here</a>}
      <Ways queue={queue} />
    </div>
  );
}

export function Queue({ queue: name }: { queue: string }) {
  const { query } = use_place();
  const now = use_store(session);
  const [view, , title] = VIEWS.find(([one]) => one === query.get('view')) ?? VIEWS[0];
  const [version, set_version] = useState(0);
  const info = use_api(name, (signal) => call_tagged('describeQueue', { path: { name }, signal }), { every: 2000 });
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
  const sent = () => {
    set_version((n) => n + 1);
    info.reload();
  };
  const tabs = (
    <Tabs
      label="View"
      value={view}
      choices={VIEWS.map(([one, text]) => [one, text] as const)}
      on_change={(one) => change_query({ view: one === 'rates' ? null : one })}
    />
  );
  return (
    <>
      <Head queue={queue} reload={info.reload} />
      <Wrong error={info.error} />
      <QueueFigures queue={queue} told={statistics.data} />
      <Card title={title} wide tools={tabs}>
        {view === 'rates' && <RateLines queue={queue} rates={rates} />}
        {view === 'peek' && (look ? <p class="note warning">{look}</p> : <Peek queue={name} version={version} />)}
        {view === 'send' && <SendForm queue={name} on_sent={sent} />}
        {view === 'options' && (
          <>
            <OptionsForm
              key={name}
              name={name}
              options={queue.options ?? null}
              tag={info.data?.tag}
              on_done={info.reload}
            />
            <Ends queue={queue} tag={info.data?.tag} reload={info.reload} />
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
