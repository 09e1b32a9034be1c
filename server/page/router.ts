// Where the page is: the path, and what the query says.
import { make_store, use_store } from './parts/store';

export interface Place {
  path: string;
  query: URLSearchParams;
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });
const place = make_store<Place>(here());

export function go(to: string, replace = false): void {
  if (to === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
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

function is_own(link: HTMLAnchorElement, event: MouseEvent): boolean {
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  return plain && link.origin === location.origin && !link.target && !link.download && !link.pathname.startsWith('/v1');
}

export function start_router(): void {
  window.addEventListener('popstate', () => place.set(here()));
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    if (!link || event.defaultPrevented || !is_own(link, event) || link.hash) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}
