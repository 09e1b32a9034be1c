// Fills a server with queues and failures that look like a shop's on a bad day.
//
//   node seed.mjs http://127.0.0.1:7780 [--letters N]     N more dead letters, in bulk (a million, say)

export class Api {
  constructor(base, token) {
    this.base = base;
    this.headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  }

  async call(method, path, body) {
    const answer = await fetch(`${this.base}/v1${path}`, {
      method,
      headers: this.headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }
  get(path) {
    return this.call('GET', path);
  }
  post(path, body = {}) {
    return this.call('POST', path, body);
  }
  receive(queue, how) {
    return this.post(`/queues/${queue}/deliveries?${new URLSearchParams(how)}`);
  }
  // Declares a queue, and the dead letter and parking queues that it names.
  put(path, body = {}) {
    return this.call('PUT', `${path}?createMissing=true`, body);
  }
  patch(path, body) {
    return this.call('PATCH', path, body);
  }
}

// Makes a source of numbers that are the same each time.
export function random_of(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// Does the work a few times at once, since each call waits for the server most of the time.
export async function side_by_side(count, work) {
  let next = 0;
  const one_after_another = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 8 }, one_after_another));
}

// Sends `messages` and rejects each of them with what `why(body)` says. Equal reasons in a row go in one call.
export async function kill(api, queue, messages, why, consumer = { instance: 'worker-1', version: '2.1.0' }) {
  for (let at = 0; at < messages.length; at += 100) {
    const part = messages.slice(at, at + 100);
    await api.post(`/queues/${queue}/messages/batch`, { messages: part });
    let left = part.length;
    while (left > 0) {
      const { deliveries = [] } = await api.receive(queue, { max: left, ...consumer });
      if (deliveries.length === 0) throw new Error(`${queue}: nothing to receive`);
      left -= deliveries.length;
      const failed = deliveries.map(({ receipt, body }) => ({ receipt, rejection: why(JSON.parse(body)) }));
      for (const { receipts, rejection } of runs_of(failed)) await api.post('/deliveries/reject', { receipts, rejection });
    }
  }
}

function runs_of(failed) {
  const runs = [];
  for (const { receipt, rejection } of failed) {
    const last = runs.at(-1);
    if (last && JSON.stringify(last.rejection) === JSON.stringify(rejection)) last.receipts.push(receipt);
    else runs.push({ receipts: [receipt], rejection });
  }
  return runs;
}

const FAILURES = [
  {
    share: 0.42,
    category: 'timeout',
    code: 'ETIMEDOUT',
    reason: (o) => `no answer from the warehouse after 30 s, order ${o.order}`,
    stackTrace:
      'at Warehouse.reserve (warehouse.js:118:11)\nat Order.reserve (order.js:44:7)\nat Worker.handle (worker.js:21:3)',
    nested: [{ code: 'ECONNRESET', message: 'read ECONNRESET 10.2.0.17:443' }],
  },
  {
    share: 0.25,
    category: 'validation',
    code: 'E17',
    reason: (o) => `quantity must be > 0, is ${-o.order % 5}`,
    stackTrace: 'at check_quantity (checks.js:12:9)\nat Order.check (order.js:31:5)\nat Worker.handle (worker.js:20:3)',
  },
  {
    share: 0.15,
    category: 'schema',
    code: 'E02',
    reason: (o) => `unknown field "gift_wrap" in order ${o.order}`,
    stackTrace: 'at parse (schema.js:77:13)\nat Worker.handle (worker.js:19:3)',
  },
  { share: 0.1, category: 'payment', code: 'E40', reason: () => 'card declined: insufficient funds' },
  {
    share: 0.08,
    category: '',
    code: '',
    reason: (o) => `TypeError: cannot read "zip" of undefined (order ${o.order})`,
    stackTrace: 'at label (label.js:9:22)\nat ship (ship.js:3:1)',
  },
];

function failure_of(random) {
  let at = random();
  for (const one of FAILURES) if ((at -= one.share) < 0) return one;
  return FAILURES[0];
}

export const order = (number, random) => ({
  body: JSON.stringify({
    order: number,
    customer: `c-${1000 + Math.floor(random() * 500)}`,
    quantity: Math.floor(random() * 9) - 2,
    items: [
      { sku: 'A-100', price: 12.5 },
      { sku: 'B-7', price: 3 },
    ],
    ship_to: { city: 'Aachen', zip: '52062' },
  }),
  attributes: [
    { name: 'content-type', value: 'application/json' },
    { name: 'correlation-id', value: `corr-${number}` },
    { name: 'tenant', value: ['north', 'south', 'west'][number % 3] },
  ],
});

export async function seed(api, { dead = 240 } = {}) {
  await api.put('/queues/parked');
  await api.put('/queues/orders-dlq', { parkingQueue: 'parked' });
  await api.put('/queues/spam-dlq');
  await api.put('/queues/orders', {
    deadLetterQueue: 'orders-dlq',
    maxDeliveries: 5,
    journal: { maxEntries: 100000 },
    retry: { kind: 'exponential', base: '1s', cap: '1m', jitter: 0.2 },
  });
  await api.put('/queues/invoices', {
    deadLetterQueue: 'orders-dlq',
    maxDeliveries: 3,
    deadLetterRoutes: [{ category: 'spam', queue: 'spam-dlq' }],
  });
  await api.put('/queues/emails', { maxDeliveries: 10, timeToLive: '1d', onExpiry: 'drop' });
  const random = random_of(7);
  for (const [queue, share, version] of [
    ['orders', 0.5, '2.1.0'],
    ['orders', 0.25, '2.0.4'],
    ['invoices', 0.25, '2.1.0'],
  ]) {
    const messages = Array.from({ length: Math.round(dead * share) }, (_, i) => order(i + 1, random));
    await kill(
      api,
      queue,
      messages,
      (body) => {
        const failure = failure_of(random);
        return {
          category: failure.category,
          code: failure.code,
          reason: failure.reason(body),
          stackTrace: failure.stackTrace ?? '',
          causes: failure.nested ?? [],
        };
      },
      { instance: `worker-${Math.ceil(random() * 4)}`, version },
    );
  }
  await api.post('/queues/orders/messages/batch', {
    messages: Array.from({ length: 37 }, (_, i) => order(9000 + i, random)),
  });
  await api.post('/queues/emails/messages/batch', {
    messages: Array.from({ length: 12 }, (_, i) => ({ body: `Dear customer ${i}` })),
  });
  await api.post('/queues/emails/messages/batch', { messages: [{ body: 'later', delay: '1h' }] });
}

const SIDE_BY_SIDE = 3;  // how many floods run at once, since each waits for the server most of the time

// Makes many dead letters quickly, which are settled by the thousand.
export async function flood(api, queue, letters, failure = {}) {
  const share = Math.ceil(letters / SIDE_BY_SIDE);
  const parts = Array.from({ length: SIDE_BY_SIDE }, (_, i) => Math.max(0, Math.min(share, letters - i * share)));
  await Promise.all(parts.map((part) => flood_part(api, queue, part, failure)));
}

// This part may be handed out messages of another part, but never more than it has sent.
async function flood_part(
  api,
  queue,
  letters,
  { category = 'timeout', reason = 'no answer from the warehouse' },
) {
  const messages = Array.from({ length: 1000 }, (_, i) => ({ body: `{"n":${i}}` }));
  for (let made = 0; made < letters;) {
    const part = messages.slice(0, Math.min(1000, letters - made));
    await api.post(`/queues/${queue}/messages/batch`, { messages: part, durability: 'buffered' });
    for (let left = part.length; left > 0;) {
      const { deliveries = [] } = await api.receive(queue, { max: Math.min(left, 1000) });
      if (deliveries.length === 0) throw new Error(`${queue}: nothing to receive`);
      await api.post('/deliveries/reject', {
        receipts: deliveries.map((d) => d.receipt),
        durability: 'buffered',
        rejection: { category, reason: `${reason} ${made % 7}` },
      });
      left -= deliveries.length;
    }
    made += part.length;
  }
}

if (process.argv[1]?.endsWith('seed.mjs')) {
  const api = new Api(process.argv[2]);
  const at = process.argv.indexOf('--letters');
  await seed(api);
  if (at > 0) {
    await api.put('/queues/bulk', { deadLetterQueue: 'bulk-dlq' });
    await flood(api, 'bulk', Number(process.argv[at + 1]));
  }
}
