// A retry policy, seen before it is used: when it delivers, and which outages it outlives.
import { Bars, Lines } from '../parts/charts';
import { Card, Figure, Input, Select } from '../parts/controls';
import { duration_text, parse_duration } from '../parts/format';
import { lost_share, schedule, spans, type Policy } from '../parts/retry_model';
import { change_query, use_place } from '../router';

const OUTAGES = 60;
const MOST_ROWS = 30;

function policy_of(query: URLSearchParams): { policy: Policy; wrong: Record<string, string> } {
  const wrong: Record<string, string> = {};
  const duration = (name: string, fallback: number) => {
    const text = query.get(name);
    if (!text) return fallback;
    const seconds = parse_duration(text);
    if (seconds === null) wrong[name] = 'This is no duration, such as 30s or 1h.';
    return seconds ?? fallback;
  };
  const number = (name: string, fallback: number, least: number, most: number) => {
    const text = query.get(name);
    if (!text) return fallback;
    const value = Number(text);
    if (!(value >= least && value <= most)) wrong[name] = `It has to be from ${least} to ${most}.`;
    return Math.min(most, Math.max(least, value || least));
  };
  const stages = (query.get('stages') || '1s, 10s, 1m').split(',').map((one) => parse_duration(one));
  if (stages.includes(null)) wrong.stages = 'One of them is no duration.';
  const kind = (query.get('kind') || 'exponential') as Policy['kind'];
  return {
    policy: {
      kind,
      base: duration('base', 1),
      cap: duration('cap', 60),
      jitter: number('jitter', 0, 0, 1),
      stages: stages.map((one) => one ?? 0),
      maxDeliveries: Math.round(number('maxDeliveries', 5, 1, 1000)),
    },
    wrong,
  };
}

function advice(policy: Policy, span: number): string {
  if (policy.maxDeliveries === 1) return 'One delivery: every blip condemns the messages that meet it.';
  if (span < 1) return 'All deliveries fall into one second: an outage of a few seconds condemns what meets it.';
  if (policy.maxDeliveries >= 100)
    return 'A message that can’t be processed is delivered very often before anybody hears of it.';
  return `A healthy message outlives every outage that is shorter than ${duration_text(span)}.`;
}

export function Simulate() {
  const { query } = use_place();
  const { policy, wrong } = policy_of(query);
  const set = (name: string) => (value: string) => change_query({ [name]: value || null }, true);
  const plan = schedule(policy);
  const drawn = spans(policy);
  const span = plan.earliest.at(-1)!;
  const longest = Math.max(plan.latest.at(-1)! * 2, 10);
  const outages = Array.from({ length: OUTAGES + 1 }, (_, i) => (longest * i) / OUTAGES);
  const alone = spans({ ...policy, kind: 'immediate' });
  const field = (name: string, label: string, fallback: string, hint?: string) => (
    <Input label={label} value={query.get(name) ?? fallback} on_change={set(name)} error={wrong[name]} hint={hint} />
  );
  return (
    <>
      <h1>Simulate a retry policy</h1>
      <Card title="Policy" wide>
        <div class="form">
          <Select
            label="Wait"
            value={policy.kind}
            on_change={set('kind')}
            choices={[
              ['immediate', 'immediate'],
              ['fixed', 'fixed'],
              ['exponential', 'exponential'],
              ['stages', 'stages'],
            ]}
          />
          {field('maxDeliveries', 'Max deliveries', '5')}
          {policy.kind !== 'stages' &&
            policy.kind !== 'immediate' &&
            field('base', policy.kind === 'fixed' ? 'Each wait' : 'First wait', '1s')}
          {policy.kind === 'exponential' && field('cap', 'Longest wait', '60s')}
          {policy.kind === 'stages' && field('stages', 'Stages', '1s, 10s, 1m', 'The last one repeats.')}
          {policy.kind !== 'immediate' &&
            field('jitter', 'Jitter', '0', 'A share, 0 to 1, by which waits are shortened.')}
        </div>
      </Card>
      <dl class="figures">
        <Figure
          label="Poison is caught after"
          value={duration_text(plan.latest.at(-1)!)}
          more={policy.jitter > 0 ? `at the earliest ${duration_text(span)}` : undefined}
        />
        <Figure label="Deliveries wasted on it" value={policy.maxDeliveries} />
        <Figure label="Outlives every outage under" value={duration_text(span)} kind={span < 1 ? 'dead' : 'good'} />
      </dl>
      <p class={span < 1 || policy.maxDeliveries >= 100 ? 'note warning' : 'note info'}>{advice(policy, span)}</p>
      <Card title="Healthy messages lost to an outage" wide>
        <p class="faint">Of those that first fail while everything fails, by how long that lasts.</p>
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
            count: Math.round(at),
            color: i + 1 === policy.maxDeliveries ? 'series-3' : 'series-0',
          }))}
        />
        <p class="faint">
          In seconds after the first one, if jitter shortens nothing.
          {plan.latest.length > MOST_ROWS && ` The first ${MOST_ROWS}.`}
        </p>
      </Card>
      <p class="faint">
        This is arithmetic, of one message with handling that takes no time. <span class="mono">holdfast simulate</span>{' '}
        plays the policy with the engine itself, with rates, crashes and slow consumers.
      </p>
    </>
  );
}
