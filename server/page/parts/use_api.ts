// Data of the API that stays fresh: it is read again after events, and at regular intervals.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, is_kept_from, NO_QUEUE } from '../api/client';
import { listen, type EngineEvent } from '../api/events';
import { session } from '../api/session';

export interface Fresh<T> {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean; // nothing is known yet
  reload: () => void;
}

interface Options {
  every?: number; // milliseconds; 0: only after events
  after?: (event: EngineEvent) => boolean; // which events it is read again after; default: all
}

// Events that come within this time cause only one read.
const SETTLE_MS = 400;

const GONE_TIMES = 12; // how many times more rarely a missing queue is read

// `key` tells what is read. If it is null, nothing is read.
export function use_api<T>(
  key: string | null,
  read: (signal: AbortSignal) => Promise<T>,
  options: Options = {},
): Fresh<T> {
  const [state, set_state] = useState<{ key: string | null; data?: T; error?: ApiError }>({ key: null });
  const reader = useRef(read);
  reader.current = read;
  const wanted = useRef(options);
  wanted.current = options;
  const again = useRef(() => {});
  useEffect(() => {
    if (key === null) return;
    let control = new AbortController();
    let timer = 0;
    let busy = false;
    let asked = false; // whether another read was asked for while it was busy
    let due = Infinity;
    let is_gone = false; // the queue is missing: it is read rarely, since an event tells if somebody creates it again
    let no_queue = false; // the token may not see the queue: only a person or another session asks again
    // A read is never put off, so that events without an end do not delay it.
    const later = (ms: number) => {
      if (performance.now() + ms >= due) return;
      clearTimeout(timer);
      due = performance.now() + ms;
      timer = window.setTimeout(run, ms);
    };
    const run = async () => {
      due = Infinity;
      if (busy) {
        asked = true;
        return;
      }
      busy = true;
      const signal = control.signal;
      try {
        const data = await reader.current(signal);
        if (!signal.aborted) set_state({ key, data });
        is_gone = no_queue = false;
      } catch (failure) {
        if (!signal.aborted) {
          is_gone = failure instanceof ApiError && failure.code === NO_QUEUE;
          no_queue = failure instanceof ApiError && is_kept_from(failure);
          const error = failure instanceof ApiError ? failure : new ApiError(0, 'internal', String(failure));
          set_state((before) => ({ key, data: before.key === key ? before.data : undefined, error }));
        }
      }
      busy = false;
      if (signal.aborted) return;
      const every = wanted.current.every ?? 5000;
      if (no_queue) asked = false;
      else if (asked) later(SETTLE_MS);
      else if (every > 0) later(every * (document.hidden ? 5 : 1) * (is_gone ? GONE_TIMES : 1));
      asked = false;
    };
    again.current = () => later(0);
    void run();
    const deaf = listen((event) => {
      if (no_queue) return;
      if (event.kind === 'missed' || (wanted.current.after?.(event) ?? true)) busy ? (asked = true) : later(SETTLE_MS);
    });
    const unfollow = session.follow(() => later(0));
    const seen = () => !document.hidden && !no_queue && later(0);
    document.addEventListener('visibilitychange', seen);
    return () => {
      control.abort();
      clearTimeout(timer);
      deaf();
      unfollow();
      document.removeEventListener('visibilitychange', seen);
    };
  }, [key]);
  const reload = useCallback(() => again.current(), []);
  const mine = state.key === key;
  const data = mine ? state.data : undefined;
  const error = mine ? state.error : undefined;
  return { data, error, loading: data === undefined && error === undefined, reload };
}

// Selects the events of a queue and the deaths into it.
export const of_queue = (queue: string) => (event: EngineEvent) => event.queue === queue || event.target === queue;
