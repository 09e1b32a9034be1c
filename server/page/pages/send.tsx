// A test message.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { MessageInput } from '../api/schema';
import { session, why_not } from '../api/session';
import { Area, Button, Card, Check, Input, say, say_wrong, Select } from '../parts/controls';
import { parse_duration } from '../parts/format';
import { parse_json } from '../parts/json';
import { use_store } from '../parts/store';
import { visible } from '../parts/text';
import { use_api } from '../parts/use_api';
import { change_query, use_place } from '../router';

interface Form {
  body: string;
  attributes: string;
  delay: string;
  group: string;
  priority: string;
  deduplicationId: string;
  timeToLive: string;
}
const EMPTY: Form = {
  body: '{\n  "order": 4711\n}',
  attributes: 'content-type: application/json',
  delay: '',
  group: '',
  priority: '',
  deduplicationId: '',
  timeToLive: '',
};

function message_of(form: Form): MessageInput {
  const attributes = form.attributes
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => ({
      name: line.slice(0, line.indexOf(':')).trim(),
      value: line.slice(line.indexOf(':') + 1).trim(),
    }));
  return {
    body: form.body,
    attributes,
    ...(form.delay ? { delay: form.delay } : {}),
    ...(form.group ? { group: form.group } : {}),
    ...(form.priority ? { priority: Number(form.priority) } : {}),
    ...(form.deduplicationId ? { deduplicationId: form.deduplicationId } : {}),
    ...(form.timeToLive ? { timeToLive: form.timeToLive } : {}),
  };
}

const wrong_duration = (text: string) =>
  text !== '' && parse_duration(text) === null ? 'This is no duration, such as 30s or 1h.' : undefined;

export function SendForm({ queue, on_sent }: { queue: string; on_sent?: () => void }) {
  const now = use_store(session);
  const [form, set_form] = useState<Form>(EMPTY);
  const [json, set_json] = useState(true);
  const [busy, set_busy] = useState(false);
  const [sent, set_sent] = useState<string[]>([]);
  const set = (name: keyof Form) => (value: string) => set_form((before) => ({ ...before, [name]: value }));
  const body_wrong = json && parse_json(form.body) === null ? 'This is not JSON.' : undefined;
  const reason =
    queue === ''
      ? 'No queue is chosen.'
      : (why_not(now, 'produce', queue) ?? body_wrong ?? wrong_duration(form.delay) ?? wrong_duration(form.timeToLive));
  const send = async () => {
    set_busy(true);
    try {
      const answer = await call('sendBatch', { path: { queue }, body: { messages: [message_of(form)] } });
      const failed = answer.failed?.[0]?.error;
      if (failed) say(failed.message, 'critical');
      else {
        set_sent((before) => [answer.ids?.[0] ?? '', ...before].slice(0, 5));
        on_sent?.();
      }
    } catch (failure) {
      say_wrong(failure);
    }
    set_busy(false);
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) void send();
      }}
    >
      <Area label="Body" value={form.body} on_change={set('body')} error={body_wrong} rows={8} />
      <Check label="It has to be JSON" value={json} on_change={set_json} />
      <Area
        label="Attributes, one “name: value” a line"
        value={form.attributes}
        on_change={set('attributes')}
        rows={3}
      />
      <Input
        label="Delay"
        value={form.delay}
        on_change={set('delay')}
        error={wrong_duration(form.delay)}
        placeholder="30s"
      />
      <Input
        label="Time to live"
        value={form.timeToLive}
        on_change={set('timeToLive')}
        error={wrong_duration(form.timeToLive)}
        placeholder="1d"
      />
      <Input label="Group" value={form.group} on_change={set('group')} />
      <Input label="Priority" value={form.priority} on_change={set('priority')} type="number" />
      <Input label="Deduplication id" value={form.deduplicationId} on_change={set('deduplicationId')} />
      <div class="buttons">
        <Button submit kind="main" reason={reason} busy={busy}>
          Send 1 message
        </Button>
      </div>
      {sent.length > 0 && (
        <div class="note done" role="status">
          Sent: <span class="mono">{visible(sent.join(', '))}</span>
        </div>
      )}
    </form>
  );
}

export function Send() {
  const { query } = use_place();
  const queue = query.get('queue') ?? '';
  const names = use_api(
    'names',
    async (signal) => ((await call('listQueues', { signal })).queues ?? []).map((one) => one.name ?? ''),
    { every: 0, after: () => false },
  );
  return (
    <>
      <h1>Send a message</h1>
      <Card title="Message" wide>
        <Select
          label="Queue"
          value={queue}
          on_change={(one) => change_query({ queue: one || null }, true)}
          choices={[['', 'choose one'], ...(names.data ?? []).map((one) => [one, one] as const)]}
        />
        <SendForm queue={queue} />
      </Card>
    </>
  );
}
