// The course of a change of many dead letters. They are counted and then changed part by part. After a failure, another
// try changes what is left.
import { useEffect, useRef, useState } from 'preact/hooks';
import { is_lost, request_id } from '../api/client';
import { count_all, in_parts, NONE, told_of, type Asked, type BulkProgress, type Counted } from './bulk_calls';
import { TITLES, type Wanted } from './bulk_verbs';
import { say } from '../parts/controls';
import { query_of, until_now } from './filter_query';
import { count_text } from '../parts/format';
import { is_remembered, type Try } from '../parts/tries';

type Phase = 'ask' | 'works' | 'failed' | 'over';

export interface Bulk {
  phase: Phase;
  counted: Counted | null; // null: not counted yet, or the count failed
  so_far: Counted;
  wrong: string;
  lost: Try<unknown> | null; // a try whose answer was lost
  is_stopping: boolean;
  count: () => void;
  start: (text: string, count: number) => Promise<boolean>; // whether all were done
  stop: () => void;
}

export function use_bulk(asked: Wanted, on_done: () => void): Bulk {
  const [wanted] = useState<Asked>({
    ...asked,
    filter: until_now(asked.filter),
    request: request_id(),
    query: query_of(asked.filter).toString(),
  });
  const [phase, set_phase] = useState<Phase>('ask');
  const [counted, set_counted] = useState<Counted | null>(null);
  const [so_far, set_so_far] = useState<Counted>(NONE);
  const [wrong, set_wrong] = useState('');
  const [is_stopping, set_stopping] = useState(false);
  const place = useRef<BulkProgress>({ sum: NONE });
  const stopped = useRef(false);
  const tried = useRef<Try<unknown> | null>(null);
  const [lost, set_lost] = useState<Try<unknown> | null>(null);
  const told = (now: BulkProgress) => {
    place.current = now;
    set_so_far(now.sum);
  };
  const count = () => {
    set_wrong('');
    const so_many = ({ sum }: BulkProgress) => set_so_far(sum);
    count_all(wanted, so_many, () => stopped.current).then(set_counted, (failure) => set_wrong(failure.message));
  };
  useEffect(() => {
    stopped.current = false;
    count();
    return () => {
      stopped.current = true;
    };
  }, []);
  // When a call fails, it is not known whether the server did what it asked for.
  const fail = (why: string, count: number) => {
    const { sum } = place.current;
    set_phase('failed');
    set_wrong(why);
    set_so_far({ ...sum, stopped: true });
    const done = `${count_text(sum.changed)} of ${count_text(count)} are known to be done.`;
    say(`${TITLES[wanted.verb]}: ${why} ${done}`, 'critical');
  };
  const start = async (text: string, count: number) => {
    set_phase('works');
    set_wrong('');
    stopped.current = false;
    set_stopping(false);
    told(place.current);
    let is_all = false;
    if (!tried.current || !is_remembered(tried.current)) tried.current = { request: wanted.request, at: Date.now() };
    const { at } = tried.current;
    try {
      const sum = await in_parts(wanted, text, at, told, () => stopped.current, place.current);
      told({ sum });
      set_phase('over');
      set_lost(null);
      say(told_of(wanted.verb, sum, count, lost !== null), sum.stopped ? 'warning' : 'done');
      is_all = sum.refused === 0 && !sum.stopped;
    } catch (failure) {
      if (is_lost(failure)) set_lost(tried.current);
      fail((failure as Error).message, count);
    }
    on_done();
    return is_all;
  };
  const stop = () => {
    stopped.current = true;
    set_stopping(true);
  };
  return { phase, counted, so_far, wrong, lost, is_stopping, count, start, stop };
}
