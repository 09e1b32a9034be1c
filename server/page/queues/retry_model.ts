// Calculates what a retry policy does: when a message that always fails is delivered, and which outages a healthy
// message survives.

export interface Policy {
  kind: 'immediate' | 'fixed' | 'exponential' | 'stages';
  base: number; // in seconds, like `cap` and `stages`
  cap: number;
  jitter: number;
  stages: number[];
  maxDeliveries: number;
}

// Returns the wait after the n-th failure, from 1, before jitter shortens it.
function wait_after(policy: Policy, n: number): number {
  if (policy.kind === 'fixed') return policy.base;
  if (policy.kind === 'exponential') return Math.min(policy.base * 2 ** Math.min(n - 1, 60), policy.cap || Infinity);
  if (policy.kind === 'stages') return policy.stages[Math.min(n, policy.stages.length) - 1] ?? 0;
  return 0;
}

interface Schedule {
  latest: number[]; // when each delivery begins, counted from the first one, if jitter shortens nothing
  earliest: number[]; // when each delivery begins if jitter shortens as much as it may
}

export function schedule(policy: Policy): Schedule {
  const [latest, earliest] = [[0], [0]];
  for (let n = 1; n < policy.maxDeliveries; ++n) {
    const wait = wait_after(policy, n);
    latest.push(latest[n - 1] + wait);
    earliest.push(earliest[n - 1] + wait * (1 - policy.jitter));
  }
  return { latest, earliest };
}

const DRAWS = 400;

// Draws how long the deliveries of one message span, for DRAWS messages, since jitter is random. The result is the same
// each time.
export function spans(policy: Policy): number[] {
  let state = 12345;
  const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
  return Array.from({ length: DRAWS }, () => {
    let sum = 0;
    for (let n = 1; n < policy.maxDeliveries; ++n) sum += wait_after(policy, n) * (1 - policy.jitter * draw());
    return sum;
  });
}

// Of the healthy messages that first fail at some moment of an outage of this length, returns the share whose last
// delivery falls into the outage too.
export function lost_share(all: number[], outage: number): number {
  if (outage <= 0) return 0;
  return all.reduce((sum, span) => sum + Math.max(0, outage - span) / outage, 0) / all.length;
}
