// Where the page is: the path, and what the query says; and where the focus was when somebody comes back.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { make_store, use_store } from './store';

export interface Place {
  path: string;
  query: URLSearchParams;
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });
const place = make_store<Place>(here());

// What tells an element of the page again after it was made anew: where a link leads, which list it is, what a button says.
function mark_of(element: Element | null): string | null {
  if (!(element instanceof HTMLElement) || !element.closest('main') || element.id === 'main') return null;
  if (element instanceof HTMLAnchorElement) return `main a[href="${CSS.escape(element.getAttribute('href') ?? '')}"]`;
  if (element.dataset.group) return `main [data-group="${CSS.escape(element.dataset.group)}"]`;
  return element.matches('[data-keys]') ? 'main [data-keys]' : null;
}

const PATIENCE_MS = 5000; // for the page that somebody comes back to: it reads its data first

// Once it is there again, unless somebody has gone elsewhere meanwhile.
function focus_again(mark: string): void {
  const until = performance.now() + PATIENCE_MS;
  const look = () => {
    const main = document.getElementById('main');
    if (history.state?.mark !== mark || (document.activeElement !== main && document.activeElement !== document.body))
      return;
    const found = document.querySelector<HTMLElement>(mark);
    if (found) found.focus();
    else if (performance.now() < until) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

const focus_page = () => document.getElementById('main')?.focus({ preventScroll: true });

// Another page has the focus once it is drawn: a dialog that is open until then keeps it, and gives it back to what is
// drawn no more. So has the page that a sign-in leads to. Null: no page is drawn.
export function use_focus_on_page(path: string | null): void {
  const last = useRef<string | null>(path);
  useLayoutEffect(() => {
    if (path !== null && last.current !== path) focus_page();
    last.current = path;
  }, [path]);
}

const keepers = new Map<string, () => unknown>();

function note_place(): void {
  const state = Object.fromEntries([...keepers].map(([name, value]) => [name, value()]));
  history.replaceState({ ...history.state, ...state, mark: mark_of(document.activeElement) }, '');
}

export function go(to: string, replace = false): void {
  if (to === location.pathname + location.search) return;
  if (!replace) note_place();
  history[replace ? 'replaceState' : 'pushState'](replace ? history.state : null, '', to);
  place.set(here());
  if (!replace) window.scrollTo(0, 0);
}

// The same path with other members of the query; null takes one away.
export function change_query(changes: Record<string, string | null>, replace = false): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) value === null ? query.delete(name) : query.set(name, value);
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ''), replace);
}

export const use_place = () => use_store(place);

// What the page keeps of this place in the history of the tab, as where one was in a list.
export const kept = <T>(name: string): T | undefined => history.state?.[name] as T | undefined;

// It is kept when somebody goes on from here: a browser takes only so many changes of its history.
export function use_keeping(name: string, value: unknown): void {
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    keepers.set(name, () => latest.current);
    return () => keepers.delete(name);
  }, [name]);
}

function is_own(link: HTMLAnchorElement, event: MouseEvent): boolean {
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  return plain && link.origin === location.origin && !link.target && !link.download && !link.pathname.startsWith('/v1');
}

export function start_router(): void {
  window.addEventListener('popstate', () => {
    place.set(here());
    focus_page();
    const mark = kept<string>('mark');
    if (mark) focus_again(mark);
  });
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    if (!link || event.defaultPrevented || !is_own(link, event) || link.hash) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
