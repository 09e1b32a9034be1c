// Send is the page that sends a test message.
import { useRef, useState } from 'preact/hooks';
import { call } from '../api/client';
import type { MessageInput } from '../api/schema';
import { session, why_not } from '../api/session';
import { parse_lines, type Named } from '../edits/attribute_lines';
import { Area, Button, Card, say, say_wrong, Select, Wrong } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Fields } from '../parts/fields';
import { values_of, wrong_in, type FieldSpec, type Texts } from '../parts/field_values';
import { LostNote } from '../parts/lost_note';
import { BodyFields, body_of, wrong_in_body, type MadeBody } from '../edits/message_body';
import { no_queue_text, use_queue_names } from '../queues/queues';
import { use_store } from '../store';
import { visible } from '../parts/text';
import { use_once, type Lost } from '../parts/use_once';
import { change_query, use_place } from '../router';

const FIELDS: readonly FieldSpec[] = [
  { name: 'delay', label: 'Delay', kind: 'duration', placeholder: '30s' },
  { name: 'visibleAt', label: 'Delayed until (UTC)', kind: 'time', placeholder: '2026-03-01T09:30:00Z' },
  { name: 'timeToLive', label: 'Time to live', kind: 'duration', placeholder: '1d' },
  { name: 'group', label: 'Group', kind: 'text' },
  { name: 'priority', label: 'Priority', kind: 'whole', most: 15 },
  { name: 'deduplicationId', label: 'Deduplication id', kind: 'text' },
];

const FIRST_BODY: MadeBody = { kind: 'text', text: '{\n  "order": 4711\n}', must_be_json: true, base64: '' };

const LostMessage = ({ tried, how }: Lost) => (
  <LostNote
    {...{ tried, how }}
    sent="the message was sent"
    perhaps="may be in the queue"
    again="another try may send the message a second time"
    changed="The fields now have another message than the one that was sent."
  />
);

export function SendForm({ queue, on_sent }: { queue: string; on_sent?: () => void }) {
  const now = use_store(session);
  const [made, set_made] = useState<MadeBody>(FIRST_BODY);
  // Has what is in the fields, even if they could not be drawn again. Only this is sent.
  const latest = useRef(made);
  const change = (changes: Partial<MadeBody>) => {
    latest.current = { ...latest.current, ...changes };
    set_made(latest.current);
  };
  const [attributes, set_attributes] = useState('content-type: application/json');
  const [texts, set_texts] = useState<Texts>({});
  const [busy, set_busy] = useState(false);
  const [sent, set_sent] = useState<string[]>([]);
  const [asks, set_asks] = useState(false); // whether it may be sent a second time
  const once = use_once(`send ${queue}`);
  const named = parse_lines(attributes);
  const attributes_wrong = typeof named === 'string' ? named : undefined;
  const time_wrong = texts.delay && texts.visibleAt ? 'A delay is set already: only one of the two can be used.' : undefined;
  const reason =
    queue === ''
      ? 'No queue is chosen.'
      : (why_not(now, 'produce', queue) ??
        wrong_in_body(made) ??
        attributes_wrong ??
        wrong_in(FIELDS, texts) ??
        time_wrong);
  const asked_for = () => {
    const message: MessageInput = { ...body_of(latest.current), attributes: named as Named[], ...values_of(FIELDS, texts) };
    return { queue, body: { messages: [message] } };
  };
  const lost = once.lost(reason ? null : asked_for);
  const send = async () => {
    set_asks(false);
    set_busy(true);
    try {
      const { body } = asked_for();
      const answer = await once.act({ queue, body }, (requestId) =>
        call('sendBatch', { path: { queue }, body: { ...body, requestId } }),
      );
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
        if (reason || wrong_in_body(latest.current) !== undefined) return;
        once.lost(asked_for)?.how === 'forgotten' ? set_asks(true) : void send();
      }}
    >
      <BodyFields made={made} on_change={change} />
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
        wrong={time_wrong ? { visibleAt: time_wrong } : {}}
        on_change={(name, text) => set_texts((before) => ({ ...before, [name]: text }))}
      />
      {lost && <LostMessage {...lost} />}
      <div class="buttons">
        <Button submit kind="main" reason={reason} busy={busy}>
          Send 1 message{lost?.how === 'forgotten' && '…'}
        </Button>
      </div>
      {asks && lost && (
        <Dialog title="Send it a second time?" on_close={() => set_asks(false)}>
          <LostMessage {...lost} />
          <div class="buttons">
            <Button on_click={() => set_asks(false)}>Cancel</Button>
            <Button kind="main" on_click={() => void send()}>
              Send 1 message, perhaps a second time
            </Button>
          </div>
        </Dialog>
      )}
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
  const { names, error, is_known } = use_queue_names();
  const choices = names.includes(queue) || !queue ? names : [queue, ...names];
  return (
    <>
      <h1>Send a message</h1>
      <Card title="Message" wide>
        <Select
          label="Queue"
          value={queue}
          on_change={(one) => change_query({ queue: one || null }, true)}
          choices={[['', 'choose one'], ...choices.map((one) => [one, one] as const)]}
          hint={is_known && names.length === 0 ? no_queue_text() : undefined}
        />
        <Wrong error={error} what="The queues are not known" />
        <SendForm queue={queue} />
      </Card>
    </>
  );
}
