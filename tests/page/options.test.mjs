// The options form when somebody else changes the queue while it is open.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lose_answers, open_page, Server, serious, start_browser } from './harness.mjs';

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

test('a wait that the kind of retry does not have is refused, not dropped', async () => {
  await server.api.put('/queues/waits');
  await page.to('/queues/waits?view=options');
  await page.getByLabel('First wait', { exact: true }).fill('10s');
  await save();
  await page.getByText('retry.base is set, but only fixed and exponential retries have one').first().waitFor();
  page.complaints = page.complaints.filter((one) => !one.includes('400'));
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

test('what is typed while a change is under way stays, and is saved next', async () => {
  await server.api.put('/queues/slow');
  await page.to('/queues/slow?view=options');
  await page.getByLabel('Lease', { exact: true }).fill('5m');
  let go_on;
  await page.route('**/v1/queues/slow', async (route) => {
    if (route.request().method() === 'PATCH') await new Promise((done) => (go_on = done));
    await route.continue();
  });
  await save();
  while (!go_on) await page.waitForTimeout(10);
  await page.getByLabel('Max deliveries', { exact: true }).fill('9');
  go_on();
  await page.getByText('slow is changed.').waitFor();
  await page.unroute('**/v1/queues/slow');
  await save();
  await page.getByRole('button', { name: 'Change options', exact: true }).waitFor();
  const now = await options_of('slow');
  assert.deepEqual([now.lease, now.maxDeliveries], [300, 9]);
});

test('the next change waits until the form knows what the last one left', async () => {
  await server.api.put('/queues/eager');
  await page.to('/queues/eager?view=options');
  await page.getByLabel('Lease', { exact: true }).fill('5m');
  let go_on;
  const released = new Promise((done) => (go_on = done));
  let is_changed = false;
  await page.route('**/v1/queues/eager', async (route) => {
    if (route.request().method() === 'PATCH') is_changed = true;
    else if (is_changed) await released;
    await route.continue();
  });
  await save();
  await page.getByText('eager is changed.').waitFor();
  await page.getByLabel('Max deliveries', { exact: true }).fill('9');
  await page.getByRole('button', { name: 'Change 1 option', disabled: true }).waitFor();
  await page.keyboard.press('Enter');
  go_on();
  await page.getByRole('button', { name: 'Change 1 option', disabled: false }).waitFor();
  await page.unroute('**/v1/queues/eager');
  await save();
  await page.getByRole('button', { name: 'Change options', exact: true }).waitFor();
  const now = await options_of('eager');
  assert.deepEqual([now.lease, now.maxDeliveries], [300, 9]);
});

test('an option that goes to and fro is nobody else’s change', async () => {
  await server.api.put('/queues/fro');
  await page.to('/queues/fro?view=options');
  const leases = [
    ['5m', 300],
    ['30s', 30],
    ['5m', 300],
    ['30s', 30],
  ];
  for (const [typed, lease] of leases) {
    await page.getByLabel('Lease', { exact: true }).fill(typed);
    await page.getByRole('button', { name: 'Change 1 option', disabled: false }).waitFor();
    await save();
    await page.getByRole('button', { name: 'Change options', exact: true }).waitFor();
    assert.equal((await options_of('fro')).lease, lease);
  }
});

test('a change whose answer was lost is told to be stored once the queue has it', async () => {
  await server.api.put('/queues/told');
  await page.to('/queues/told?view=options');
  await page.getByRole('button', { name: 'Change options', exact: true }).waitFor();
  await page.getByLabel('Lease', { exact: true }).fill('5m');
  await lose_answers(page, '**/v1/queues/told', 1, 'PATCH');
  await save();
  await page.getByText('The answer of the server was lost, but the queue has what was asked for: it is stored.').waitFor();
  const change = page.getByRole('button', { name: 'Change options', exact: true });
  assert.equal(await change.getAttribute('title'), 'No option is changed.');
  assert.equal((await options_of('told')).lease, 300);
  assert.deepEqual(await serious(page, ['wcag2a', 'wcag2aa']), []);
  await page.unroute('**/v1/queues/told');
  await page.getByLabel('Max deliveries').fill('9');
  await save();
  await page.getByText('told is changed.').waitFor();
  assert.equal(await page.getByText('answer of the server was lost').count(), 0);
});

test('a change that may not be stored is not told to be', async () => {
  await server.api.put('/queues/untold');
  await page.to('/queues/untold?view=options');
  await page.getByLabel('Lease', { exact: true }).fill('5m');
  await page.route('**/v1/queues/untold', (route) =>
    route.request().method() === 'PATCH' ? route.abort('connectionreset') : route.continue(),
  );
  await save();
  const note = page.getByText('The answer of the server was lost, so the change may be stored.');
  await note.waitFor();
  await page.getByRole('button', { name: 'Reset' }).click();
  await note.waitFor();
  await page.unroute('**/v1/queues/untold');
});

test('a queue that the lost try created stands as asked, and one that was there is told to be the same', async () => {
  const create = () => page.getByRole('button', { name: 'Create the queue' }).click();
  await page.to('/queues');
  await page.getByLabel('Name', { exact: true }).fill('anew');
  await page.getByLabel('Max deliveries').fill('4');
  await lose_answers(page, '**/v1/queues/anew?**', 1, 'PUT');
  await create();
  await page.getByText('The answer of the server was lost, so the queue may have been created.').waitFor();
  await create();
  await page.getByText('anew has the options that were asked for: the try whose answer was lost may have created it.').waitFor();
  assert.equal((await options_of('anew')).maxDeliveries, 4);
  await page.to('/queues');
  await page.getByLabel('Name', { exact: true }).fill('anew');
  await page.getByLabel('Max deliveries').fill('4');
  await create();
  await page.getByText('anew existed already, with exactly these options.').waitFor();
});

test('alerts that do not fire one before the other are doubted, and saved', async () => {
  await server.api.put('/queues/doubt');
  await page.to('/queues/doubt?view=options');
  const doubt = page.getByText('so the first does not fire before the second');
  assert.equal(await doubt.count(), 0);
  await page.getByLabel(/^Dead letters above/).fill('100');
  await page.getByText('“Dead letters above” is 100 and “Many dead letters above” is 100,').waitFor();
  await page.getByLabel(/^Many dead letters above/).fill('');
  await doubt.waitFor({ state: 'detached' });
  await page.getByLabel(/^Too many dead letters above/).fill('50');
  await page.getByText('“Dead letters above” is 100 and “Too many dead letters above” is 50,').waitFor();
  assert.deepEqual(await serious(page, ['wcag2a', 'wcag2aa']), []);
  await save();
  await page.getByText('doubt is changed.').waitFor();
  const { depth, depthHigh, depthCritical } = (await options_of('doubt')).alerts;
  assert.deepEqual([depth, depthHigh, depthCritical], [100, null, 50]);
});

test('tags, routes and lists are edited a row at a time, whatever stands in the others', async () => {
  const tags = [
    { name: 'team, first', value: 'a=b, c' },
    { name: 'x=y', value: '' },
  ];
  const deadLetterRoutes = [{ category: 'no=such, thing', queue: 'rows-dlq' }];
  const autoRedrive = { every: '1h', categories: ['a, b', ' c '] };
  await server.api.put('/queues/rows-dlq', { autoRedrive });
  await server.api.put('/queues/rows', { deadLetterQueue: 'rows-dlq', tags, deadLetterRoutes });
  const change = async (count) => {
    await page.getByRole('button', { name: `Change ${count}` }).click();
    await page.getByText(' is changed.').waitFor();
  };
  await page.to('/queues/rows?view=options');
  assert.equal(await page.getByLabel('Tags 1: value').inputValue(), 'a=b, c');
  await page.getByLabel('Tags 2: value').fill('1, 2');
  await page.getByRole('button', { name: 'Add to Routes of categories' }).click();
  await page.getByText('Row 2 has no category.').waitFor();
  await page.keyboard.type('late, very');
  await page.getByLabel('Routes of categories 2: queue').fill('rows-dlq');
  assert.deepEqual(await serious(page), []);
  await change('2 options');
  const now = await options_of('rows');
  assert.deepEqual(now.tags, [tags[0], { name: 'x=y', value: '1, 2' }]);
  assert.deepEqual(now.deadLetterRoutes, [...deadLetterRoutes, { category: 'late, very', queue: 'rows-dlq' }]);
  await page.to('/queues/rows-dlq?view=options');
  await page.getByRole('button', { name: 'Remove Only these categories 1' }).click();
  await page.getByRole('button', { name: 'Add to Only these categories' }).click();
  await change('1 option');
  assert.deepEqual((await options_of('rows-dlq')).autoRedrive.categories, [' c ', '']);
});
