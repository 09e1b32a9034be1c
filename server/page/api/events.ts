// What happens on the server, as it happens: server-sent events, taken up again where they were cut off.
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
let was_cut = false;
let is_silent = false;

function follow_silence(seconds: number): void {
  if (seconds >= SILENT_S) {
    is_silent = was_cut = true;
    live.set('cut off');
  } else if (seconds === 0 && is_silent) {
    is_silent = false;
    if (source?.readyState !== EventSource.OPEN) return;
    was_cut = false;
    live.set('live');
    tell({ kind: 'missed', count: 0 });
  }
}

// The stream's own signs of life are comments, which no page sees: where nothing else is asked, a small question is.
function look(): void {
  look_for_life();
  if (live.get() === 'live' && is_idle(ASK_MS)) void learn_session().catch(() => null);
}

function close(): void {
  source?.close();
  source = null;
}

// A browser goes on by itself after a broken connection, but not after an answer that is no stream.
async function try_again(): Promise<void> {
  close();
  await new Promise((done) => setTimeout(done, TRY_AGAIN_MS));
  await learn_session().catch(() => null);
  connect();
}

// Only the tab that is looked at has a stream: a browser has few connections to one server, for all its tabs.
function connect(): void {
  if (document.hidden || source || is_stranger(session.get()) || !session.get().known) return;
  source = new EventSource('/v1/events');
  source.onopen = () => {
    note_life();
    live.set('live');
    // What has no event, as counts, may be older than the cut.
    if (was_cut) tell({ kind: 'missed', count: 0 });
    was_cut = false;
  };
  source.onerror = () => {
    live.set('cut off');
    was_cut = true;
    if (source?.readyState === EventSource.CLOSED) void try_again();
  };
  source.addEventListener('end', () => {
    live.set('cut off');
    was_cut = true;
    void try_again();
  });
  for (const kind of KINDS) {
    source.addEventListener(kind, (message) => {
      note_life();
      tell({ kind, ...JSON.parse((message as MessageEvent).data) });
    });
  }
}

export function start_events(): void {
  quiet_s.follow(follow_silence);
  setInterval(look, LOOK_MS);
  session.follow((now) => {
    if (is_stranger(now) || !now.known) {
      close();
      live.set('cut off');
    } else {
      connect();
    }
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) return connect();
    close();
    was_cut = true;
    live.set('connecting');
  });
  connect();
}
