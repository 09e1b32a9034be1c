// The options form when somebody else changes the queue while it is open.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, start_browser } from './harness.mjs';

let server, browser, page;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const retry = { kind: 'exponential', base: 1, cap: 60, jitter: 0, to: 'head' };
const options_of = async (name) => (await server.api.get(`/queues/${name}`)).options;
const save = () => page.getByRole('button', { name: 'Change 1 option' }).click();

test('what somebody else changed shows, and is not put back by another change', async () => {
  await server.api.put('/queues/shared', { retry });
  await page.to('/queues/shared?view=options');
  await page.getByLabel(/^Jitter/).fill('0.2');
  await fetch(`${server.base}/v1/queues/shared`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ retry: { ...retry, base: 5, cap: 300 } }),
  });
  await page.getByText('Somebody else changed this queue: First wait, Longest wait.').waitFor();
  assert.equal(await page.getByLabel(/^Jitter/).inputValue(), '0.2');
  await save();
  await page.getByText('shared is changed.').waitFor();
  const now = (await options_of('shared')).retry;
  assert.deepEqual([now.base, now.cap, now.jitter], [5, 300, 0.2]);
});

test('a change that comes too late is refused, and says so', async () => {
  await server.api.put('/queues/late');
  await page.to('/queues/late?view=options');
  await page.getByLabel('Lease', { exact: true }).fill('5m');
  await page.route('**/v1/queues/late', async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    await fetch(`${server.base}/v1/queues/late`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ maxDeliveries: 9 }),
    });
    await route.continue();
  });
  await save();
  await page.getByText('Somebody else changed the queue meanwhile, so nothing was saved.').waitFor();
  await page.getByText('Somebody else changed this queue: Max deliveries.').waitFor();
  await page.unroute('**/v1/queues/late');
  assert.equal((await options_of('late')).lease, 30);
  await save();
  await page.getByText('late is changed.').waitFor();
  const now = await options_of('late');
  assert.deepEqual([now.lease, now.maxDeliveries], [300, 9]);
});
