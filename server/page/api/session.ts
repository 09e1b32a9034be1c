// The session says who is signed in, and what that allows, to grey out controls. The server checks every call itself.
import { set_server_time } from '../parts/format';
import { make_store } from '../store';
import { answer_to, is_lost, problem_of, told_by } from './answer';

interface BrowserSession {
  known: boolean; // whether the server has answered
  controlled: boolean; // whether there are tokens at all
  signedIn: boolean;
  name?: string;
  grants?: string[];
  hidden?: { bodies: boolean; attributes: string[] };
  ended?: string; // the name whose session is over
  left?: string; // the name that signed out in another tab
}

type Right = 'produce' | 'consume' | 'operate' | 'administer';

// Only a page of this server can set this header. The server ignores the cookie of a session without it.
export const OF_THIS_PAGE = { 'Holdfast-Request': '1' };

export const session = make_store<BrowserSession>({ known: false, controlled: false, signedIn: false });

const same = (a: BrowserSession, b: BrowserSession) => JSON.stringify(a) === JSON.stringify(b);

async function ask(method: string, body?: object): Promise<Response> {
  const headers = body ? { 'Content-Type': 'application/json', ...OF_THIS_PAGE } : OF_THIS_PAGE;
  const answer = await answer_to('/v1/session', { method, headers, body: body && JSON.stringify(body) });
  if (!answer.ok) throw await problem_of(answer);
  return answer;
}

// The page counts ages and times by the server's clock from the start, since the browser's clock may be wrong.
async function learn_time(): Promise<void> {
  const answer = await answer_to('/v1', { headers: OF_THIS_PAGE });
  const { time } = answer.ok ? await told_by<{ time?: string }>(answer) : {};
  if (time) set_server_time(time);
}

export async function learn_session(): Promise<BrowserSession> {
  const told: BrowserSession = { known: true, ...(await told_by<Omit<BrowserSession, 'known'>>(await ask('GET'))) };
  const before = session.get();
  if (is_stranger(told)) told.ended = ended_of(before);
  else if (!before.known || (told.signedIn && !before.signedIn)) await learn_time().catch(() => null);
  if (!same(told, session.get())) session.set(told);
  return told;
}

// All tabs share one cookie, so signing in or out in one tab does the same in all of them. No tab may go on under the
// previous name.
let tabs: BroadcastChannel | null = null;
type Change = 'signed in' | 'signed out';
export function follow_tabs(): void {
  tabs = new BroadcastChannel('session');
  tabs.onmessage = ({ data }) => void learn_change(data as Change).catch(() => null);
}
const tell_tabs = (change: Change) => tabs?.postMessage(change);

// The page must not say that a session ran out if its owner signed out.
async function learn_change(change: Change): Promise<void> {
  const left = ended_of(session.get());
  const told = await learn_session();
  if (change === 'signed out' && is_stranger(told)) session.set({ ...told, ended: undefined, left });
}

// A try whose answer was lost may have started a session, so the page asks the server whether it has.
export async function sign_in(token: string): Promise<void> {
  const lost = await ask('POST', { token }).then(
    () => null,
    (failure) => {
      if (!is_lost(failure)) throw failure;
      return failure;
    },
  );
  const is_refused = is_stranger(await learn_session());
  if (is_refused && lost) throw lost;
  tell_tabs('signed in');
  if (is_refused) throw new Error('The browser does not keep the session: it refuses cookies of this server.');
}

// Removes the page first, with its calls and its event stream. The server would refuse a call that arrives after the
// session has ended, and the page would report that before the cookie is gone.
export async function sign_out(): Promise<void> {
  const before = session.get();
  session.set({ ...before, known: false, signedIn: false, name: undefined });
  await new Promise((done) => setTimeout(done)); // waits until the page is drawn again
  try {
    await ask('DELETE');
    tell_tabs('signed out');
    await learn_session();
  } catch (failure) {
    session.set(before);
    throw failure;
  }
}

const ended_of = (before: BrowserSession) => (before.signedIn ? before.name : before.ended);

// Ends the session when the server refuses a call that came without a valid token: it is over, or the server is a new
// one.
export function lost_session(): void {
  session.set({ known: true, controlled: true, signedIn: false, ended: ended_of(session.get()) });
}

const needs_sign_in = (now: BrowserSession) => now.known && now.controlled && !now.signedIn;
export const is_stranger = needs_sign_in;

// A grant such as "operate,consume:orders*" names the rights, and the queues for which they hold.
const grants_of = (now: BrowserSession) =>
  (now.grants ?? []).map((grant) => {
    const at = grant.indexOf(':');
    const rights = grant.slice(0, at).split(',');
    return { pattern: grant.slice(at + 1), gives: (right: Right) => rights.includes(right) || rights.includes('all') };
  });

function covers(pattern: string, queue: string): boolean {
  return pattern.endsWith('*') ? queue.startsWith(pattern.slice(0, -1)) : pattern === queue;
}

// Returns whether the session may see every queue.
export const knows_all = (now: BrowserSession): boolean =>
  !now.controlled || grants_of(now).some((one) => one.pattern === '*');

// An empty name asks whether the right holds for at least one queue.
export const may = (now: BrowserSession, right: Right, queue: string): boolean =>
  !now.controlled || grants_of(now).some((one) => one.gives(right) && (queue === '' || covers(one.pattern, queue)));

// Returns whether the right holds for every queue, so that the server leaves nothing out of its answers.
export const may_everywhere = (now: BrowserSession, right: Right): boolean =>
  !now.controlled || grants_of(now).some((one) => one.gives(right) && one.pattern === '*');

// Says in a sentence why the session may not do it. Undefined if it may.
export function why_not(now: BrowserSession, right: Right, queue: string): string | undefined {
  if (may(now, right, queue)) return undefined;
  return `The token “${now.name ?? ''}” was not granted to ${right} ${queue || 'queues'}.`;
}
