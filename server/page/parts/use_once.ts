// A call that has its effect once, however often a person tries again after its answer was lost.
import { useRef } from 'preact/hooks';
import { request_id } from '../api/client';

export type Once = <T>(what: object, act: (requestId: string) => Promise<T>) => Promise<T>;

// The same `what` keeps its request id until one of its calls was answered well: a call that failed may have had its effect
// all the same, and one that was refused had none that the id could stand for. What was changed in between is another call.
export function use_once(): Once {
  const open = useRef<{ what: string; id: string } | null>(null);
  return async (what, act) => {
    const text = JSON.stringify(what);
    if (open.current?.what !== text) open.current = { what: text, id: request_id() };
    const answer = await act(open.current.id);
    open.current = null;
    return answer;
  };
}
