// Reads the letters of a list, keeps track of the current one, and keeps those in sight up to date.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { call } from '../api/client';
import { AROUND, standing_of, type Current } from './current';
import { filter_of } from './filter_query';
import { letter_pages } from './letter_pages';
import type { Listed } from './listed';
import { Pager } from './pager';
import { of_queue, use_api, type Fresh } from '../parts/use_api';
import { kept, use_keeping } from '../router';

export function use_pager(
  queue: string,
  query: URLSearchParams,
  oldest_first: boolean,
  total: number | undefined,
  version: number,
): Pager<Listed> {
  const [, redraw] = useState(0);
  const pager = useMemo(
    () => new Pager<Listed>(letter_pages(queue, filter_of(query), oldest_first), () => redraw((n) => n + 1)),
    [queue, query.toString(), oldest_first, version],
  );
  pager.expect(total);
  useEffect(() => {
    void pager.show(0, 0);
    return () => pager.stop();
  }, [pager]);
  return pager;
}

interface Cursor extends Current {
  around: number; // how far around its place standing_of() looks for the letter
  move_to: (index: number) => void;
}

// Keeps track of the current letter, even if it moves in the list.
export function use_current(pager: Pager<Listed>): Cursor {
  const [held, hold] = useState<Current>(() => kept<Current>('letter') ?? { index: 0 });
  const is_sought = useRef(held.id !== undefined);
  use_keeping('letter', held);
  // The first pager belongs to the place as somebody opened it or returned to it. A later pager starts at the top.
  const first = useRef(pager);
  const move_to = (index: number) => {
    is_sought.current = false;
    hold({ index, id: pager.at(index)?.id });
  };
  useEffect(() => {
    if (first.current !== pager) move_to(0);
  }, [pager]);
  const around = is_sought.current ? AROUND : 0;
  const now = standing_of(pager, held, around);
  useEffect(() => {
    if (now.id === undefined) return;
    is_sought.current = false;
    if (now.id !== held.id || now.index !== held.index) hold(now);
  }, [now.id, now.index, held]);
  return { ...now, around, move_to };
}

const LOOK_MS = 3000;

const MOST_LOOKED_AT = 120; // the most letters in one look, since their ids have to fit into an address

// Changes that other people make to letters have no event. So the page regularly reads the letters in sight, each in
// its place, and the chosen letters again. It returns the ids of the chosen letters that have left.
export function use_triage(
  queue: string,
  pager: Pager<Listed>,
  sight: () => [first: number, last: number],
  chosen: ReadonlySet<string>,
  has_left: (letter: Listed) => boolean,
): Fresh<string[]> {
  const read = async (signal: AbortSignal): Promise<string[]> => {
    const [first, last] = sight();
    const asked = new Set<string>();
    for (let i = first; i <= last; ++i) if (pager.at(i)?.id) asked.add(pager.at(i)!.id!);
    for (const id of chosen) if (asked.size < MOST_LOOKED_AT) asked.add(id);
    if (asked.size === 0) return [];
    const query = { ids: [...asked], history: true, max: asked.size };
    const page = await call('listDeadLetters', { path: { queue }, query, signal });
    const told = new Map((page.items ?? []).map((one) => [one.id, one]));
    const now_of = (one: Listed): Listed =>
      told.get(one.id) ?? { ...one, is_gone: asked.has(one.id ?? '') && !page.next };
    pager.renew(first, last, now_of);
    return [...chosen].filter((id) => has_left(now_of({ id } as Listed)));
  };
  return use_api(queue, read, { every: LOOK_MS, after: of_queue(queue) });
}
