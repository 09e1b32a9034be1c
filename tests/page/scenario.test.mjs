// A flood of failures arrives and its groups show. One group is assigned, edited, redriven by canary and watched to its
// end, and the rest is discarded. All of this is done with the page, as a person does it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, start_browser } from './harness.mjs';
import { kill } from './seed.mjs';

let server, browser, page;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  await server.api.put('/queues/orders-dlq', { parkingQueue: 'parked' });
  await server.api.put('/queues/orders', { deadLetterQueue: 'orders-dlq' });
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const order = (number) => ({
  body: JSON.stringify({ order: number, quantity: 0, price: 10.1 }),
  attributes: [{ name: 'tenant', value: 'north' }],
});
const fail = (count, category, reason) =>
  kill(
    server.api,
    'orders',
    Array.from({ length: count }, (_, i) => order(i + 1)),
    () => ({ category, reason }),
  );
const button = (name) => page.getByRole('button', { name, exact: typeof name === 'string' });
const consume = async (verb) => {
  const { deliveries = [] } = await server.api.receive('orders', { max: 100 });
  const receipts = deliveries.map((one) => one.receipt);
  if (receipts.length > 0) await server.api.post(`/deliveries/${verb}`, { receipts });
  return deliveries;
};

test('a flood shows by itself on the overview', async () => {
  await page.to('/');
  await page.getByText('There is no alert').waitFor();
  await fail(40, 'timeout', 'no answer from the warehouse');
  await fail(25, 'validation', 'quantity must be > 0');
  await fail(10, 'spam', 'nobody ordered this');
  await page.getByText('75 dead letters').first().waitFor();
  await page
    .getByRole('link', { name: /orders-dlq.*75/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'orders-dlq' }).waitFor();
});

test('its groups show, and one is assigned', async () => {
  await button('quantity must be > 0').click();
  await page
    .getByRole('group', { name: /^For Group/ })
    .getByRole('button', { name: 'Assign…' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('25 dead letters', { exact: true }).waitFor();
  await dialog.getByLabel('To').fill('ann');
  await dialog.getByRole('button', { name: 'Assign 25 dead letters' }).click();
  await page.getByText('Assign: 25 dead letters.').waitFor();
  await page.getByRole('cell', { name: 'ann' }).waitFor();
  const assigned = await server.api.get('/queues/orders-dlq/dead-letters/groups?by=assignee');
  assert.deepEqual(assigned.groups.map((one) => [one.value ?? '', one.count]).sort(), [
    ['', 50],
    ['ann', 25],
  ]);
});

test('the list is filtered by the address, and walked with keys', async () => {
  await page.to('/dead-letters/orders-dlq?view=letters&category=validation');
  const list = page.getByRole('listbox');
  await page.getByText('for all that match: 25').waitFor();
  await list.focus();
  await list.press('j');
  await list.press('j');
  await list.press('k');
  assert.equal(await list.getAttribute('aria-activedescendant'), 'row-1');
  await list.press('Enter');
  await page.waitForURL(/dead-letters\/orders-dlq\/[0-9a-f-]{36}$/);
  await page.getByText('quantity must be > 0').first().waitFor();
});

test('one is edited, compared and redriven, and its message acknowledged', async () => {
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog');
  const body = dialog.getByLabel('Body', { exact: true });
  await body.fill((await body.inputValue()).replace('"quantity":0', '"quantity":3'));
  await dialog.getByLabel(/^Attributes/).fill('tenant: north\nfixed-by: ann');
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await dialog.getByText('"quantity": 3').waitFor();
  await dialog.getByText('fixed-by: ann').waitFor();
  await dialog.getByRole('button', { name: /^Redrive 1 dead letter/ }).click();
  await page.waitForURL(/redrives\/\d+$/);
  await page.getByText('done', { exact: true }).waitFor();
  const [delivery] = await consume('ack');
  assert.equal(JSON.parse(delivery.body).quantity, 3);
  assert.ok(delivery.attributes.some((one) => one.name === 'fixed-by' && one.value === 'ann'));
  await page.locator('.figure', { hasText: 'acknowledged' }).getByText('1', { exact: true }).waitFor();
});

test('a canary goes first, and the rest when it has succeeded', async () => {
  await page.to('/redrives/new?queue=orders-dlq&category=validation');
  await page.getByLabel('Canary', { exact: true }).fill('5');
  await button('Dry run').click();
  await button('Redrive 24 dead letters…').click();
  await page.getByRole('dialog').getByText('First 5 dead letters; the rest only if 100 %').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Redrive 24 dead letters' }).click();
  await page.waitForURL(/redrives\/\d+$/);
  await page.getByText('The redrive waits until the outcome of these letters is known.').waitFor();
  assert.equal((await consume('ack')).length, 5);
  await page.getByText('24 moved, 0 left in place.').waitFor();
  assert.equal((await consume('ack')).length, 19);
  await page.locator('.figure', { hasText: 'acknowledged' }).getByText('24', { exact: true }).waitFor();
});

test('a canary that fails leaves the rest where it is', async () => {
  await fail(6, 'rounding', 'a cent is missing');
  await page.to('/redrives/new?queue=orders-dlq&category=rounding');
  await page.getByLabel('Canary', { exact: true }).fill('3');
  await button('Dry run').click();
  await button('Redrive 6 dead letters…').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Redrive 6 dead letters' }).click();
  await page.getByText('The redrive waits until the outcome of these letters is known.').waitFor();
  const { deliveries } = await server.api.receive('orders', { max: 3, instance: 'worker-1', version: '2.1.0' });
  const rejection = { category: 'rounding', reason: 'a cent is missing' };
  const [bad, ...good] = deliveries.map((one) => one.receipt);
  await server.api.post('/deliveries/reject', { receipts: [bad], rejection });
  await page.getByText('Too few canaries succeeded, so the rest stays where it is.').waitFor();
  await server.api.post('/deliveries/ack', { receipts: good });
  await page.getByText('These counts stop when the canary is decided').waitFor();
  await page.locator('.figure', { hasText: 'acknowledged' }).getByText('2', { exact: true }).waitFor();
  assert.equal((await server.api.get('/queues/orders-dlq/dead-letters?category=rounding')).items.length, 4);
});

test('a gate leaves what it refuses, and says why', async () => {
  await page.to('/redrives/new?queue=orders-dlq&category=rounding');
  await page.getByLabel('Leave letters that failed on version').fill('2.1.0');
  await button('Dry run').click();
  await page.getByText('the version that failed still runs').waitFor();
  assert.equal(await button('Redrive 4 dead letters…').count(), 0);
  await page.getByLabel('Leave letters that failed on version').fill('2.0.0');
  await button('Dry run').click();
  await button('Redrive 4 dead letters…').waitFor();
  await page.getByLabel('Leave letters replayed this often').fill('1');
  await button('Dry run').click();
  await page.getByText('redriven too often already').waitFor();
  await button('Redrive 3 dead letters…').waitFor();
});

test('a redrive can be cancelled while it runs', async () => {
  await page.to('/redrives/new?queue=orders-dlq&category=timeout');
  await page.getByLabel('Rate').fill('1');
  await button('Dry run').click();
  await button('Redrive 40 dead letters…').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Redrive 40 dead letters' }).click();
  await button('Cancel…').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the redrive' }).click();
  await page.getByText('cancelled', { exact: true }).waitFor();
  await consume('ack');
});

test('the rest is discarded, which says how many and asks', async () => {
  const { total } = await server.api.get('/queues/orders-dlq/dead-letters/groups?by=status');
  await page.to('/dead-letters/orders-dlq?view=letters');
  await button('Discard…').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('deleted for good').waitFor();
  await dialog.getByRole('button', { name: `Discard ${total} dead letters` }).click();
  await page.getByText(`Discard: ${total} dead letters.`).waitFor();
  await page.getByText('No dead letter is here.').waitFor();
  assert.equal((await server.api.get('/queues/orders-dlq')).counts.dead, 0);
});

test('a queue is created with its warnings, sent to and looked into', async () => {
  await page.to('/queues');
  await page.getByRole('textbox', { name: 'Name' }).fill('fresh');
  await page.getByLabel('Max deliveries').fill('1');
  const target = page.getByLabel(/^Dead letter queue/).first();
  const creates = page.getByLabel('Create the queues named here that do not exist');
  await target.fill('fresh-dlx');
  await creates.check();
  await target.fill('fresh-dlq');
  assert.equal(await creates.isChecked(), false);
  await creates.check();
  await button('Create the queue').click();
  await page.waitForURL(/queues\/fresh/);
  await page.locator('.sayings .warning').first().waitFor();
  await page.getByRole('tab', { name: 'Send' }).click();
  await page.getByRole('textbox', { name: 'Body' }).fill('{"hello": "there"}');
  await button('Send 1 message').click();
  await page.getByText(/^Sent:/).waitFor();
  await page.getByRole('tab', { name: 'Peek' }).click();
  await page.getByText('{"hello": "there"}').waitFor();
  await page.getByRole('tab', { name: 'Options' }).click();
  await page.getByLabel('Lease', { exact: true }).fill('5m');
  await button('Change 1 option').click();
  await page.getByText('fresh is changed.').waitFor();
  const { options } = await server.api.get('/queues/fresh');
  assert.deepEqual([options.maxDeliveries, options.lease], [1, 300]);
});

test('nothing was complained about, and nobody else was asked for anything', () => {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.strangers, []);
});
