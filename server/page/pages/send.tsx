// A test message.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { MessageInput } from '../api/schema';
import { session, why_not } from '../api/session';
import { parse_lines, type Named } from '../parts/attribute_lines';
import { Area, Button, Card, Check, say, say_wrong, Select, Wrong } from '../parts/controls';
import { Fields } from '../parts/fields';
import { values_of, wrong_in, type FieldSpec, type Texts } from '../parts/field_values';
import { parse_json } from '../parts/json';
import { use_store } from '../parts/store';
import { visible } from '../parts/text';
import { use_api } from '../parts/use_api';
import { change_query, use_place } from '../router';

const FIELDS: readonly FieldSpec[] = [
  { name: 'delay', label: 'Delay', kind: 'duration', placeholder: '30s' },
  { name: 'timeToLive', label: 'Time to live', kind: 'duration', placeholder: '1d' },
  { name: 'group', label: 'Group', kind: 'text' },
  { name: 'priority', label: 'Priority', kind: 'whole', most: 15 },
  { name: 'deduplicationId', label: 'Deduplication id', kind: 'text' },
];

export function SendForm({ queue, on_sent }: { queue: string; on_sent?: () => void }) {
  const now = use_store(session);
  const [body, set_body] = useState('{\n  "order": 4711\n}');
  const [attributes, set_attributes] = useState('content-type: application/json');
  const [texts, set_texts] = useState<Texts>({});
  const [json, set_json] = useState(true);
  const [busy, set_busy] = useState(false);
  const [sent, set_sent] = useState<string[]>([]);
  const named = parse_lines(attributes);
  const attributes_wrong = typeof named === 'string' ? named : undefined;
  const body_wrong = json && parse_json(body) === null ? 'This is not JSON.' : undefined;
  const reason =
    queue === ''
      ? 'No queue is chosen.'
      : (why_not(now, 'produce', queue) ?? body_wrong ?? attributes_wrong ?? wrong_in(FIELDS, texts));
  const send = async () => {
    set_busy(true);
    try {
      const message: MessageInput = { body, attributes: named as Named[], ...values_of(FIELDS, texts) };
      const answer = await call('sendBatch', { path: { queue }, body: { messages: [message] } });
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
      <Area label="Body" value={body} on_change={set_body} error={body_wrong} rows={8} />
      <Check label="It has to be JSON" value={json} on_change={set_json} />
      <Area
        label="Attributes, one “name: value” a line"
        value={attributes}
        on_change={set_attributes}
        error={attributes_wrong}
        rows={3}
      />
      <Fields
        fields={FIELDS}
        texts={texts}
        on_change={(name, text) => set_texts((before) => ({ ...before, [name]: text }))}
      />
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
        <Wrong error={names.error} what="The queues are not known" />
        <SendForm queue={queue} />
      </Card>
    </>
  );
}
