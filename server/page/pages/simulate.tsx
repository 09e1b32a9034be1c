// Shows a retry policy before it is used: when it delivers, and which outages it survives.
import { Bars, Lines } from '../parts/charts';
import { Card, Figure } from '../parts/controls';
import { Fields } from '../parts/fields';
import { text_of, value_of, wrong_of, type FieldSpec } from '../parts/field_values';
import { duration_text, exact_duration_text } from '../parts/format';
import { lost_share, schedule, spans, type Policy } from '../queues/retry_model';
import { change_query, use_place } from '../router';

const OUTAGES = 60;
const MOST_ROWS = 30;

const WAIT: FieldSpec = {
  name: 'kind',
  label: 'Wait',
  kind: 'choice',
  choices: ['immediate', 'fixed', 'exponential', 'stages'].map((one) => [one, one] as const),
  fallback: 'exponential',
};
const DELIVERIES: FieldSpec = {
  name: 'maxDeliveries',
  label: 'Max deliveries',
  kind: 'whole',
  least: 1,
  most: 1000,
  fallback: 5,
};
const JITTER: FieldSpec = {
  name: 'jitter',
  label: 'Jitter',
  kind: 'number',
  most: 1,
  fallback: 0,
  hint: 'Each wait is shortened at random by up to this share, 0 to 1.',
};
const CAP: FieldSpec = { name: 'cap', label: 'Longest wait', kind: 'duration', fallback: 60 };
const STAGES: FieldSpec = {
  name: 'stages',
  label: 'Stages',
  kind: 'durations',
  fallback: [1, 10, 60],
  hint: 'The last one repeats.',
};
const base = (label: string): FieldSpec => ({ name: 'base', label, kind: 'duration', fallback: 1 });
const FIELDS: Record<Policy['kind'], readonly FieldSpec[]> = {
  immediate: [WAIT, DELIVERIES],
  fixed: [WAIT, DELIVERIES, base('Each wait'), JITTER],
  exponential: [WAIT, DELIVERIES, base('First wait'), CAP, JITTER],
  stages: [WAIT, DELIVERIES, STAGES, JITTER],
};
const ALL = [WAIT, DELIVERIES, base(''), CAP, STAGES, JITTER];

// A text that is not a valid value counts as the default.
function policy_of(query: URLSearchParams): Policy {
  const values = ALL.map((field) => {
    const text = query.get(field.name) ?? '';
    return [field.name, text && !wrong_of(field, text) ? value_of(field, text) : field.fallback];
  });
  const policy = Object.fromEntries(values) as Policy;
  return policy.kind in FIELDS ? policy : { ...policy, kind: 'exponential' };
}

function advice(policy: Policy, span: number): string {
  if (policy.maxDeliveries === 1) return 'With one delivery, every short failure kills the messages that meet it.';
  if (span < 1)
    return 'All deliveries fall within one second, so an outage of a few seconds kills the messages that meet it.';
  if (policy.maxDeliveries >= 100)
    return 'A message that can’t be processed is delivered very often before anybody notices.';
  return `A healthy message survives every outage that is shorter than ${duration_text(span)}.`;
}

export function Simulate() {
  const { query } = use_place();
  const policy = policy_of(query);
  const plan = schedule(policy);
  const drawn = spans(policy);
  const span = plan.earliest.at(-1)!;
  const longest = Math.max(plan.latest.at(-1)! * 2, 10);
  const outages = Array.from({ length: OUTAGES + 1 }, (_, i) => (longest * i) / OUTAGES);
  const alone = spans({ ...policy, kind: 'immediate' });
  const fields = FIELDS[policy.kind];
  const texts = Object.fromEntries(fields.map((one) => [one.name, query.get(one.name) ?? text_of(one, undefined)]));
  return (
    <>
      <h1>Simulate a retry policy</h1>
      <Card title="Policy" wide>
        <div class="form">
          <Fields
            fields={fields}
            texts={texts}
            on_change={(name, text) => change_query({ [name]: text || null }, true)}
          />
        </div>
      </Card>
      <dl class="figures">
        <Figure
          label="Poison is caught after"
          value={duration_text(plan.latest.at(-1)!)}
          more={policy.jitter > 0 ? `at the earliest ${duration_text(span)}` : undefined}
        />
        <Figure label="Deliveries wasted on it" value={policy.maxDeliveries} />
        <Figure label="Survives every outage under" value={duration_text(span)} kind={span < 1 ? 'dead' : 'good'} />
      </dl>
      <p class={span < 1 || policy.maxDeliveries >= 100 ? 'note warning' : 'note info'}>{advice(policy, span)}</p>
      <Card title="Healthy messages lost to an outage" wide>
        <p class="faint">
          The share of messages that are lost if they first fail during an outage, by the length of the outage.
        </p>
        <Lines
          x={outages}
          x_title="Outage"
          x_text={duration_text}
          y_text={(share) => `${share.toFixed(0)} %`}
          label="Share of healthy messages lost, by the length of the outage"
          lines={[
            { name: 'this policy', values: outages.map((one) => lost_share(drawn, one) * 100) },
            { name: 'without waits', values: outages.map((one) => lost_share(alone, one) * 100) },
          ]}
        />
      </Card>
      <Card title="When a message that always fails is delivered" wide>
        <Bars
          total={0}
          label="Deliveries"
          rows={plan.latest.slice(0, MOST_ROWS).map((at, i) => ({
            name: `delivery ${i + 1}`,
            count: at,
            shown: exact_duration_text(at),
            color: i + 1 === policy.maxDeliveries ? 'series-3' : 'series-0',
          }))}
        />
        <p class="faint">
          Counted from the first delivery, if jitter shortens nothing.
          {plan.latest.length > MOST_ROWS && ` The first ${MOST_ROWS}.`}
        </p>
      </Card>
      <p class="faint">
        This is calculated for one message whose handling takes no time. <span class="mono">holdfast simulate</span>{' '}
        runs the policy on the engine itself, with rates, crashes and slow consumers.
      </p>
    </>
  );
}
