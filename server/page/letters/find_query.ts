// Reads the line of the search box: an id, attribute=value, a correlation id, or a part of a reason or body.
import type { DeadLetterFilterInput } from '../api/schema';

export interface Search {
  what: string; // in words
  filter: DeadLetterFilterInput;
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// One text may mean several things. Each of them is a search of its own.
export function searches_of(text: string, bodies: boolean, history: boolean): Search[] {
  const said = text.trim();
  if (said === '') return [];
  const also = history ? { history } : {};
  if (ID.test(said)) return [{ what: 'with this id', filter: { ids: [said.toLowerCase()], history: true } }];
  const at = said.indexOf('=');
  const searches: Search[] = [];
  if (at > 0)
    searches.push({
      what: `with the attribute ${said.slice(0, at)}`,
      filter: { attributes: [{ name: said.slice(0, at), value: said.slice(at + 1) }], ...also },
    });
  searches.push({ what: 'with this correlation id', filter: { correlationId: said, ...also } });
  searches.push({ what: 'whose reason contains this', filter: { reason: said, ...also } });
  if (bodies) searches.push({ what: 'whose body contains this', filter: { body: said } });
  return searches;
}
