// Tells which page the address names, and puts the focus back when somebody returns to a page.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { make_store, use_store } from './store';

export interface PagePlace {
  path: string;
  query: URLSearchParams;
}

const here = (): PagePlace => ({ path: location.pathname, query: new URLSearchParams(location.search) });
const place = make_store<PagePlace>(here());

// Makes a selector that finds the same element after the page is drawn anew: a link by its target, a row by its group,
// or the list that takes keys.
function mark_of(element: Element | null): string | null {
  if (!(element instanceof HTMLElement) || !element.closest('main') || element.id === 'main') return null;
  if (element instanceof HTMLAnchorElement) return `main a[href="${CSS.escape(element.getAttribute('href') ?? '')}"]`;
  if (element.dataset.group) return `main [data-group="${CSS.escape(element.dataset.group)}"]`;
  return element.matches('[data-keys]') ? 'main [data-keys]' : null;
}

const PATIENCE_MS = 5000; // how long to look for the element: the page reads its data first

// Focuses the element once it exists again, unless the user has moved on in the meantime.
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

// Moves the focus to a new page once it is drawn. A dialog that was open until then keeps the focus, and would give it
// back to an element that no longer exists. The page that follows a sign-in gets the focus too. `path` is null while no
// page is drawn.
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

// Goes to the same path with some members of the query changed. A null removes its member.
export function change_query(changes: Record<string, string | null>, replace = false): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) value === null ? query.delete(name) : query.set(name, value);
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ''), replace);
}

export const use_place = () => use_store(place);

// Returns what the page keeps for this place in the history of the tab, such as the position in a list.
export const kept = <T>(name: string): T | undefined => history.state?.[name] as T | undefined;

// Stores the value when somebody leaves this place. Browsers allow only a limited number of changes to the history, so
// it is not stored each time it changes.
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
