// Finds dead letters of all queues by what somebody knows of them.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { FoundDeadLetter } from '../api/schema';
import { Button, Card, Check, Loading, say_wrong, Status, Wrong } from '../parts/controls';
import { searches_of, type Search } from '../letters/find_query';
import { age_text, count_text, time_text, word_of } from '../parts/format';
import { use_store } from '../store';
import { Text, visible } from '../parts/text';
import { Unknown } from '../parts/unknown';
import { session, why_not } from '../api/session';
import { use_api } from '../parts/use_api';
import { change_query, use_place } from '../router';

const PAGE = 50;
const CALLS = 20; // the most calls for one page, since a call looks at a limited number of records and may find none

interface Found {
  items: FoundDeadLetter[];
  next?: string;
  scanned: string[];
}

async function find({ filter }: Search, from: Found | null, signal?: AbortSignal): Promise<Found> {
  const found: Found = { items: [...(from?.items ?? [])], next: from?.next, scanned: [...(from?.scanned ?? [])] };
  const wanted = found.items.length + PAGE;
  for (let calls = 0; calls < CALLS && found.items.length < wanted; ++calls) {
    const body = { filter, max: wanted - found.items.length, ...(found.next ? { start: found.next } : {}) };
    const page = await call('findDeadLetters', { body, signal });
    found.items.push(...(page.items ?? []));
    found.scanned = [...new Set([...found.scanned, ...(page.scanned ?? [])])];
    found.next = page.next ?? undefined;
    if (!found.next) break;
  }
  return found;
}

function Row({ found: { queue = '', letter } }: { found: FoundDeadLetter }) {
  const record = letter?.record;
  return (
    <tr>
      <th scope="row">
        <a href={`/dead-letters/${queue}/${letter?.id}`}>
          <Text of={queue} /> {letter?.seq}
        </a>
      </th>
      <td title={time_text(record?.diedAt)}>{age_text(record?.diedAt)}</td>
      <td>
        <Text of={record?.rejection?.category} />
      </td>
      <td class="preview">
        <Text of={record?.rejection?.reason} empty={word_of(record?.cause)} />
      </td>
      <td>
        <Text of={record?.sourceQueue} />
      </td>
      <td>
        <Text of={record?.correlationId ?? record?.correlationIdBase64} mono />
      </td>
      <td>
        <Status of={letter?.triage?.status} />
      </td>
    </tr>
  );
}

function Results({ search }: { search: Search }) {
  const [more, set_more] = useState<Found | null>(null);
  const [busy, set_busy] = useState(false);
  const first = use_api(JSON.stringify(search), (signal) => find(search, null, signal), {
    every: 0,
    after: () => false,
  });
  const found = more ?? first.data;
  const read_on = async () => {
    set_busy(true);
    try {
      set_more(await find(search, found!));
    } catch (failure) {
      say_wrong(failure);
    }
    set_busy(false);
  };
  return (
    <Card title={`Dead letters ${search.what}`} wide>
      <Wrong error={first.error} />
      {first.loading && <Loading />}
      {found && found.items.length === 0 && (
        <p class="faint">{found.next ? 'None so far.' : 'None in the queues that you may see.'}</p>
      )}
      {found && found.items.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label={`Found ${search.what}`}>
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Letter</th>
                <th scope="col">Died</th>
                <th scope="col">Category</th>
                <th scope="col">Reason</th>
                <th scope="col">From</th>
                <th scope="col">Correlation id</th>
                <th scope="col">Status</th>
              </tr>
            </thead>
            <tbody>
              {found.items.map((one) => (
                <Row key={`${one.queue} ${one.letter?.id}`} found={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {found?.next && (
        <p>
          {count_text(found.items.length)} so far.{' '}
          <Button busy={busy} on_click={() => void read_on()}>
            Find more
          </Button>
        </p>
      )}
      {(found?.scanned.length ?? 0) > 0 && (
        <p class="faint">
          No index has this, so the letters were read one by one in {visible(found!.scanned.join(', '))}. A queue’s
          searched attributes are found at once.
        </p>
      )}
    </Card>
  );
}

export function Find() {
  const { query } = use_place();
  const text = query.get('q') ?? '';
  const bodies = query.get('bodies') === 'true';
  const history = query.get('history') === 'true';
  const searches = searches_of(text, bodies, history);
  const now = use_store(session);
  const refused = why_not(now, 'operate', '');
  const turn = (name: string) => (on: boolean) => change_query({ [name]: on ? 'true' : null }, true);
  return (
    <>
      <h1>Find dead letters</h1>
      <p>
        {searches.length === 0 ? (
          'Type an id, a correlation id, attribute=value or a part of a reason into the box above.'
        ) : (
          <>
            In all queues: <b>{visible(text)}</b>
          </>
        )}
      </p>
      <div class="bar">
        <Check label="In bodies too (slow, reads each one)" value={bodies} on_change={turn('bodies')} />
        <Check label="With history" value={history} on_change={turn('history')} />
      </div>
      {refused !== undefined && searches.length > 0 && <Unknown because={refused} />}
      {refused === undefined &&
        searches.map((search) => <Results key={JSON.stringify(search)} search={search} />)}
    </>
  );
}
