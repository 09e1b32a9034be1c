// The live stream of what happens on the server, as server-sent events. It is opened again after it was cut off.
import { make_store } from '../store';
import { is_idle, look_for_life, note_life, quiet_s } from './life';
import { learn_session, session, is_stranger } from './session';

type EventKind =
  'died' | 'discarded' | 'expired' | 'overflowed' | 'ruleFired' | 'ruleCleared' | 'missed' | 'clockStepped';

export interface EngineEvent {
  kind: EventKind;
  at?: string;
  queue?: string;
  target?: string;
  category?: string;
  text?: string;
  count: number;
}

const KINDS: EventKind[] = [
  'died',
  'discarded',
  'expired',
  'overflowed',
  'ruleFired',
  'ruleCleared',
  'missed',
  'clockStepped',
];
const TRY_AGAIN_MS = 2000;
const SILENT_S = 15;
const ASK_MS = 5000;
const LOOK_MS = 1000;

export type Live = 'connecting' | 'live' | 'cut off';
export const live = make_store<Live>('connecting');

const listeners = new Set<(event: EngineEvent) => void>();

export function listen(told: (event: EngineEvent) => void): () => void {
  listeners.add(told);
  return () => listeners.delete(told);
}

function tell(event: EngineEvent): void {
  for (const told of [...listeners]) told(event);
}

let source: EventSource | null = null;
let is_open = false; // the stream is connected, whichever tab has it
let was_cut = false;
let is_silent = false;

function follow_silence(seconds: number): void {
  if (seconds >= SILENT_S) {
    is_silent = was_cut = true;
    live.set('cut off');
  } else if (seconds === 0 && is_silent) {
    is_silent = false;
    if (is_open) hear({ open: true });
  }
}

// The stream's own signs of life are comments, which no page can see. So the page asks a small question when it has
// nothing else to ask.
function look(): void {
  look_for_life();
  if (live.get() === 'live' && is_idle(ASK_MS)) void learn_session().catch(() => null);
}

// --- what the stream says, in whichever tab it is ---

type Word = { open: boolean; is_another?: boolean } | { event: EngineEvent };

// After a cut, data that has no event of its own, such as counts, may be out of date. Something may also have happened
// between two streams.
function hear(word: Word): void {
  if ('event' in word) {
    note_life();
    return tell(word.event);
  }
  is_open = word.open;
  live.set(is_open ? 'live' : 'cut off');
  if (is_open && (was_cut || word.is_another)) tell({ kind: 'missed', count: 0 });
  was_cut = !is_open;
}

// --- the stream of this tab ---

// A browser allows few connections to one server for all its windows and tabs. So one of the visible tabs has a stream
// and tells the others what it hears. A browser has no locks on a page that comes without TLS from another machine;
// each tab then has a stream of its own.
const tabs = 'locks' in navigator ? new BroadcastChannel('events') : null;
let turn: AbortController | null = null; // this tab has the stream, or waits for its turn
let end_turn: (() => void) | null = null; // null while it waits

function say(word: Word): void {
  hear(word);
  tabs?.postMessage(word);
}

function close(): void {
  source?.close();
  source = null;
}

// A browser reconnects by itself after a broken connection, but not after an answer that is not a stream.
async function try_again(): Promise<void> {
  close();
  await new Promise((done) => setTimeout(done, TRY_AGAIN_MS));
  await learn_session().catch(() => null);
  if (end_turn) open();
}

function open(): void {
  if (source) return;
  let is_another = is_open; // this tab heard another one's stream until now
  source = new EventSource('/v1/events');
  source.onopen = () => {
    note_life();
    hear({ open: true, is_another });
    tabs?.postMessage({ open: true, is_another: true } satisfies Word);
    is_another = false;
  };
  source.onerror = () => {
    say({ open: false });
    if (source?.readyState === EventSource.CLOSED) void try_again();
  };
  source.addEventListener('end', () => {
    say({ open: false });
    void try_again();
  });
  for (const kind of KINDS) {
    source.addEventListener(kind, (message) =>
      say({ event: { kind, ...JSON.parse((message as MessageEvent).data) } }),
    );
  }
}

function begin_turn(): Promise<void> {
  open();
  return new Promise((done) => (end_turn = done));
}

const may_listen = () => !document.hidden && session.get().known && !is_stranger(session.get());

function take_part(): void {
  if (turn || !may_listen()) return;
  turn = new AbortController();
  if (!tabs) return void begin_turn();
  tabs.postMessage(null); // asks the tab that has the stream whether it is open
  navigator.locks.request('events', { signal: turn.signal }, begin_turn).catch(() => null);
}

function leave(why: Live): void {
  close();
  turn?.abort();
  end_turn?.();
  turn = end_turn = null;
  is_open = false;
  was_cut = true;
  live.set(why);
}

export function start_events(): void {
  if (tabs) {
    tabs.onmessage = ({ data }: MessageEvent<Word | null>) => {
      if (data) return turn && !end_turn ? hear(data) : undefined;
      if (end_turn) tabs.postMessage({ open: is_open } satisfies Word);
    };
  }
  quiet_s.follow(follow_silence);
  setInterval(look, LOOK_MS);
  session.follow(() => {
    if (may_listen()) take_part();
    else if (!document.hidden) leave('cut off');
  });
  document.addEventListener('visibilitychange', () => (document.hidden ? leave('connecting') : take_part()));
  // A page that is left gives up its turn before the page that replaces it asks for the stream.
  addEventListener('pagehide', () => leave('connecting'));
  addEventListener('pageshow', (event) => event.persisted && take_part());
  take_part();
}
