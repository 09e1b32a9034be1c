// Makes a call that has its effect only once, however often a person tries again after its answer was lost.
import { is_lost, request_id } from '../api/client';
import { make_store, use_store } from '../store';
import { forget_in_tab, keep_in_tab_or_page, kept_in_tab } from './tab_store';
import { is_remembered, use_forgetting, type Repetition, type Try } from './tries';

export interface Lost {
  tried: Try<string>; // the try whose answer was lost
  how: Repetition;
}

export interface Once {
  // Returns the try that may have had its effect when `what` is asked for; null if there is none. `what` is null if the
  // form has nothing that could be sent.
  lost: (what: (() => object) | null) => Lost | null;
  // `at` is when the request was sent first.
  act: <T>(what: object, call: (requestId: string, at: number) => Promise<T>) => Promise<T>;
}

// An OpenTry has not succeeded yet. It has a fingerprint of what was sent.
interface OpenTry extends Try<string> {
  was_refused?: boolean; // whether all calls of the try were refused
  is_past?: boolean; // whether another try of the form has succeeded since
}

const MOST = 20; // how many tries of a form are kept

const waited_for = new Set<string>(); // the requests whose answer may still come
const changes = make_store(0);
const redraw_all = () => changes.set(changes.get() + 1);

// Makes a fingerprint of what is sent. What was sent itself may be large, and must not outlive the form. Browsers have
// crypto.subtle for encrypted and local pages only, and it answers later than the form is drawn.
function print_of(what: object): string {
  const text = JSON.stringify(what);
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; ++i) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  const mixed = (one: number, other: number) =>
    (Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)) >>> 0;
  return [text.length, mixed(a, b), mixed(b, a)].join(' ');
}

const name_of = (form: string) => `tries ${form}`;
const tries_of = (form: string): OpenTry[] => kept_in_tab<OpenTry[]>(name_of(form)) ?? [];

function keep_tries(form: string, tries: OpenTry[]): void {
  if (tries.length === 0) forget_in_tab(name_of(form));
  else keep_in_tab_or_page(name_of(form), tries.slice(-MOST));
  redraw_all();
}

const without = (tries: OpenTry[], print: string) => tries.filter((one) => one.what !== print);
// A try without an answer that nobody waits for is lost, too: the page was loaded again in the meantime.
const lost_of = (tries: OpenTry[]) => tries.filter((one) => !one.was_refused && !waited_for.has(one.request));

// The tab keeps the tries of a form, so that somebody who returns to the form is told of them. `form` names its kind
// and what it is for. The same `what` keeps its request id as long as the server remembers the id and no call has
// succeeded. A call that failed may have had its effect all the same, and a call that was refused had none.
export function use_once(form: string): Once {
  use_store(changes);
  use_forgetting(lost_of(tries_of(form)));
  const lost = (what: (() => object) | null): Lost | null => {
    const all = lost_of(tries_of(form));
    if (all.length === 0) return null;
    const print = what && print_of(what());
    const same = all.find((one) => one.what === print);
    if (same) return { tried: same, how: is_remembered(same) ? 'same' : 'forgotten' };
    const last = all.findLast((one) => !one.is_past);
    return last ? { tried: last, how: 'other' } : null;
  };
  const act = async <T>(what: object, call: (requestId: string, at: number) => Promise<T>): Promise<T> => {
    const print = print_of(what);
    const tries = tries_of(form);
    const before = tries.find((one) => one.what === print);
    const { request, at } = before && is_remembered(before) ? before : { request: request_id(), at: Date.now() };
    const was_lost = before !== undefined && lost_of([before]).length > 0;
    if (!was_lost || before.request !== request) waited_for.add(request);
    // The try is kept before it is sent, since the page may be gone before there is an answer.
    keep_tries(form, [...without(tries, print), { request, what: print, at }]);
    try {
      const answer = await call(request, at);
      keep_tries(form, without(tries_of(form), print).map((one) => ({ ...one, is_past: true })));
      return answer;
    } catch (failure) {
      const now = tries_of(form);
      const tried = now.find((one) => one.request === request); // undefined if its owner has signed out
      if (tried && !is_lost(failure)) {
        keep_tries(form, [...without(now, print), was_lost ? before : { ...tried, was_refused: true }]);
      }
      throw failure;
    } finally {
      waited_for.delete(request);
      redraw_all();
    }
  };
  return { lost, act };
}
