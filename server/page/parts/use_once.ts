// A call that has its effect once, however often a person tries again after its answer was lost.
import { useRef, useState } from 'preact/hooks';
import { is_lost, request_id } from '../api/client';
import { is_remembered, use_forgetting, type Repetition, type Try } from './tries';

export interface Lost {
  tried: Try<string>; // whose answer was lost
  how: Repetition;
}

export interface Once {
  // What is not known when `what` is asked for: null, everything is.
  lost: (what: () => object) => Lost | null;
  act: <T>(what: object, call: (requestId: string) => Promise<T>) => Promise<T>;
}

// The same `what` keeps its request id as long as the server remembers it, until one of its calls was answered well: a call
// that failed may have had its effect all the same, and one that was refused had none that the id could stand for.
export function use_once(): Once {
  const open = useRef<Try<string>[]>([]); // not answered well yet
  const [lost_ones, set_lost] = useState<Try<string>[]>([]);
  const [last, set_last] = useState<Try<string> | null>(null); // the last one, if its answer was lost
  use_forgetting(lost_ones);
  const lost = (what: () => object): Lost | null => {
    if (lost_ones.length === 0) return null;
    const text = JSON.stringify(what());
    const same = lost_ones.find((one) => one.what === text);
    if (same) return { tried: same, how: is_remembered(same) ? 'same' : 'forgotten' };
    return last && { tried: last, how: 'other' };
  };
  const act = async <T>(what: object, call: (requestId: string) => Promise<T>): Promise<T> => {
    const text = JSON.stringify(what);
    const others = open.current.filter((one) => one.what !== text);
    const known = open.current.find((one) => one.what === text && is_remembered(one));
    const tried = known ?? { request: request_id(), what: text, at: Date.now() };
    open.current = [...others, tried];
    const without = (all: Try<string>[]) => all.filter((one) => one.what !== text);
    try {
      const answer = await call(tried.request);
      open.current = without(open.current);
      set_lost(without);
      set_last(null);
      return answer;
    } catch (failure) {
      if (is_lost(failure)) {
        set_lost((all) => [...without(all), tried]);
        set_last(tried);
      }
      throw failure;
    }
  };
  return { lost, act };
}
