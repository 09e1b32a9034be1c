// A client that is made of the OpenAPI document alone walks a message from its send to its ack, and another one to a
// dead letter queue and back. What it calls and what it reads is checked against the document when it is compiled.
import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

const baseUrl = process.env['ENDPOINT'];
assert.ok(baseUrl, 'ENDPOINT says where holdfastd is');
const api = createClient<paths>({ baseUrl });

type Delivery = components['schemas']['Delivery'];
type Problem = components['schemas']['Problem'];

// The answer, where there has to be one.
function good<T>(answer: { data?: T; error?: Problem; response: Response }): T {
  assert.equal(answer.error, undefined);
  assert.ok(answer.response.ok, `status ${answer.response.status}`);
  return answer.data as T;
}

function refused(answer: { error?: Problem; response: Response }, status: number): Problem {
  assert.equal(answer.response.status, status);
  assert.match(answer.response.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.ok(answer.error);
  assert.equal(answer.error.status, status);
  return answer.error;
}

async function receive(queue: string): Promise<Delivery> {
  const answer = good(
    await api.POST('/v1/queues/{queue}/deliveries', { params: { path: { queue }, query: { wait: '20s', max: 1 } } }),
  );
  assert.ok(answer && typeof answer !== 'string', 'as JSON, and there, unless it was asked for raw');
  const [delivery] = answer.deliveries ?? [];
  assert.ok(delivery?.receipt, 'there is a message');
  return delivery;
}

async function declare(): Promise<void> {
  const path = { name: 'orders' };
  const made = await api.PUT('/v1/queues/{name}', {
    params: { path, query: { createMissing: true }, header: { 'If-None-Match': '*' } },
    body: { deadLetterQueue: 'orders-dlq', maxDeliveries: 5, lease: '30s' },
  });
  assert.equal(made.response.status, 201);
  const again = await api.PUT('/v1/queues/{name}', {
    params: { path, query: { createMissing: true }, header: { 'If-None-Match': '*' } },
    body: { deadLetterQueue: 'orders-dlq', maxDeliveries: 5, lease: 30 },
  });
  assert.equal(refused(again, 412).code, 'precondition_failed');
}

async function change(): Promise<void> {
  const path = { name: 'orders' };
  const read = await api.GET('/v1/queues/{name}', { params: { path } });
  assert.equal(good(read).options?.maxDeliveries, 5);
  const etag = read.response.headers.get('etag');
  assert.ok(etag);
  const header = { 'If-Match': etag };
  good(await api.PATCH('/v1/queues/{name}', { params: { path, header }, body: { maxDeliveries: 7 } }));
  refused(await api.PATCH('/v1/queues/{name}', { params: { path, header }, body: { maxDeliveries: 8 } }), 412);
}

async function send(): Promise<void> {
  const sent = await api.POST('/v1/queues/{queue}/messages', {
    params: {
      path: { queue: 'orders' },
      header: { 'Idempotency-Key': 'order-1', 'Holdfast-Attribute': 'customer=4711' },
    },
    body: '{"order": 1}',
    bodySerializer: (body) => body,
    headers: { 'Content-Type': 'application/json' },
  });
  assert.equal(good(sent).duplicate, false);
  const batch = await api.POST('/v1/queues/{queue}/messages/batch', {
    params: { path: { queue: 'orders' } },
    body: { messages: [{ body: 'unreadable', attributes: [{ name: 'customer', value: '4712' }] }] },
  });
  assert.equal(good(batch).ids?.length, 1);
  const unsent = await api.POST('/v1/queues/{queue}/messages/batch', {
    params: { path: { queue: 'orders' } },
    body: { messages: [{ body: 'x', priority: 9 }] },
  });
  assert.equal(refused(unsent, 400).failed?.[0]?.error?.code, 'invalid_argument');
}

async function settle(): Promise<void> {
  const first = await receive('orders');
  assert.equal(first.body, '{"order": 1}');
  const attributes = new Map(first.attributes?.map(({ name, value }) => [name, value]));
  assert.equal(attributes.get('customer'), '4711');
  const receipt = first.receipt ?? '';
  good(await api.DELETE('/v1/deliveries/{receipt}', { params: { path: { receipt } } }));
  const gone = await api.DELETE('/v1/deliveries/{receipt}', { params: { path: { receipt } } });
  assert.equal(refused(gone, 404).code, 'message_not_found');

  const second = await receive('orders');
  good(
    await api.POST('/v1/deliveries/{receipt}/reject', {
      params: { path: { receipt: second.receipt ?? '' } },
      body: { category: 'validation', reason: 'no such customer' },
    }),
  );
}

async function bring_back(): Promise<void> {
  const path = { queue: 'orders-dlq' };
  const page = good(
    await api.GET('/v1/queues/{queue}/dead-letters', {
      params: { path, query: { category: 'validation', bodies: true } },
    }),
  );
  assert.deepEqual(
    page.items?.map(({ body, record }) => [body, record?.cause, record?.rejection?.reason]),
    [['unreadable', 'rejected', 'no such customer']],
  );
  const redriven = good(
    await api.POST('/v1/queues/{queue}/dead-letters/redrive', {
      params: { path },
      body: { filter: { category: 'validation' } },
    }),
  );
  assert.equal(redriven.moved, 1);
  const delivery = await receive('orders');
  assert.equal(delivery.replays, 1);
  const done = good(await api.POST('/v1/deliveries/ack', { body: { receipts: [delivery.receipt ?? ''] } }));
  assert.deepEqual(done.failed, []);
}

async function be_refused(): Promise<void> {
  const missing = await api.GET('/v1/queues/{name}', { params: { path: { name: 'none' } } });
  const problem = refused(missing, 404);
  assert.equal(problem.code, 'queue_not_found');
  assert.equal(problem.type, 'urn:holdfast:error:queue_not_found');
  assert.match(problem.detail, /none/);
  const wrong = await api.PUT('/v1/queues/{name}', {
    params: { path: { name: 'other' } },
    body: { maxDeliveries: 0 },
  });
  assert.equal(refused(wrong, 400).code, 'invalid_argument');
}

await declare();
await change();
await send();
await settle();
await bring_back();
await be_refused();
console.log('a message was sent and acknowledged, another one rejected, found, redriven and acknowledged');
