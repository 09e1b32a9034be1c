// Tracks the server's signs of life. A server that hangs, or a network that loses everything, does not break a
// connection. Only a request that waits while nothing else is heard shows it.
import { make_store } from '../store';

const QUIET_MS = 4000;

// `quiet_s` says for how many seconds nothing was heard. It is 0 as long as the server is not known to owe an answer.
export const quiet_s = make_store(0);

let heard_at = performance.now();
let is_refused = false; // the last request that ended found no server
const waiting = new Set<{ since: number }>();

export function look_for_life(): void {
  const now = performance.now();
  const oldest = Math.min(...[...waiting].map((one) => one.since));
  const owes = is_refused || now - oldest >= QUIET_MS;
  const silence = now - heard_at;
  quiet_s.set(owes && silence >= QUIET_MS ? Math.floor(silence / 1000) : 0);
}

export function note_life(): void {
  heard_at = performance.now();
  is_refused = false;
  look_for_life();
}

export function note_refusal(): void {
  is_refused = true;
}

// Call this when a request is sent, and call the returned function when the request is over.
export function await_answer(): () => void {
  const one = { since: performance.now() };
  waiting.add(one);
  return () => {
    waiting.delete(one);
  };
}

// Returns whether nothing was heard for `ms` milliseconds and no request waits for an answer.
export const is_idle = (ms: number): boolean => waiting.size === 0 && performance.now() - heard_at >= ms;
