// Bodies as large as they can be, in forms; and a page that cannot be drawn.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, start_browser } from './harness.mjs';
import { kill } from './seed.mjs';

const LARGE = 13 << 20;
let server, browser, page;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  await server.api.put('/queues/orders-dlq', { maxBodyBytes: 16 << 20 });
  await server.api.put('/queues/orders', { deadLetterQueue: 'orders-dlq', maxBodyBytes: 16 << 20 });
  page = await open_page(browser, server.base);
  page.setDefaultTimeout(60_000); // laying out so much text takes the browser seconds
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

// Also where a form says that it can't: the page answers with the reason.
const submit = () => page.locator('form.form').evaluate((form) => form.requestSubmit());
const button = (name) => page.getByRole('button', { name });
// As a paste does it: typing takes minutes.
const paste = (field, text) =>
  field.evaluate((element, [piece, count]) => {
    element.value = piece[0] + piece[1].repeat(count) + piece[2];
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);

test('a large body goes as it stands in the field, or not at all', async () => {
  await page.to('/send?queue=orders');
  const field = page.getByLabel('Body', { exact: true });
  await paste(field, [['"', 'x', '"'], LARGE]);
  await page.getByText('This is too long to be checked').waitFor();
  assert.match(await button('Send 1 message').getAttribute('title'), /^This is too long to be checked/);
  await submit();
  assert.equal((await server.api.get('/queues/orders')).counts.ready, 0);
  await page.getByLabel('It has to be JSON').uncheck();
  await button('Send 1 message').click();
  await page.getByText('Sent:').waitFor();
  const { deliveries } = await server.api.post('/queues/orders/deliveries', { max: 1 });
  assert.equal(deliveries[0].body.length, LARGE + 2);
  await server.api.post('/deliveries/ack', { receipts: [deliveries[0].receipt] });
  assert.deepEqual(page.complaints, []);
});

test('large base64 is checked, and goes', async () => {
  await page.to('/send?queue=orders');
  await page.getByRole('tab', { name: 'Base64' }).click();
  await paste(page.getByLabel('Body, as base64'), [['', 'AAAA', ''], LARGE / 4]);
  await button('Send 1 message').click();
  await page.getByText('Sent:').waitFor();
  const { deliveries } = await server.api.post('/queues/orders/deliveries', { max: 1 });
  assert.equal(deliveries[0].body.length, (LARGE / 4) * 3);
  await server.api.post('/deliveries/ack', { receipts: [deliveries[0].receipt] });
});

test('a file goes once it is read, and never the one that was chosen before', async () => {
  await page.to('/send?queue=orders');
  await page.getByRole('tab', { name: 'File' }).click();
  const file = page.getByLabel('Body, from a file');
  const choose = (name) => file.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
  await choose('first');
  await page.getByText('first: 5 B, sent as they are.').waitFor();
  await page.evaluate(() => {
    const read = File.prototype.arrayBuffer;
    const may_read = new Promise((go_on) => (window.go_on = go_on));
    File.prototype.arrayBuffer = function () {
      return may_read.then(() => read.call(this));
    };
  });
  await choose('second');
  await page.waitForFunction(() => document.querySelector('form.form [type=submit]').title === 'The file is being read.');
  await submit();
  assert.equal((await server.api.get('/queues/orders')).counts.ready, 0);
  await page.evaluate(() => window.go_on());
  await page.getByText('second: 6 B, sent as they are.').waitFor();
});

test('a large dead letter is edited and redriven', async () => {
  await kill(server.api, 'orders', [{ body: `"${'x'.repeat(LARGE)}"` }], () => ({ category: 'c', reason: 'r' }));
  const { items } = await server.api.get('/queues/orders-dlq/dead-letters');
  await page.to(`/dead-letters/orders-dlq/${items[0].id}`);
  await button(/^Edit and redrive/).click();
  const dialog = page.getByRole('dialog');
  const field = dialog.getByLabel('Body', { exact: true });
  assert.equal(await field.evaluate((element) => element.value.length), LARGE + 2);
  await paste(field, [['"', 'x', 'y"'], LARGE]);
  await dialog.getByText('It is too large for the browser to keep').waitFor();
  await dialog.getByLabel('It has to be JSON').check();
  await dialog.getByText('This is too long to be checked').waitFor();
  await dialog.getByLabel('It has to be JSON').uncheck();
  await button('Compare').click();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  const { deliveries } = await server.api.post('/queues/orders/deliveries', { max: 1, wait: '10s' });
  assert.equal(deliveries[0].body.at(-2), 'y');
  assert.deepEqual(page.complaints, []);
});

test('a long string of JSON is shown whole where somebody asks for it', async () => {
  await kill(server.api, 'orders', [{ body: `{"a":"${'y'.repeat(100_000)}"}` }], () => ({ category: 'c', reason: 'long' }));
  const { items } = await server.api.get('/queues/orders-dlq/dead-letters?reason=long');
  await page.to(`/dead-letters/orders-dlq/${items[0].id}`);
  const text = page.getByRole('group', { name: 'Body as JSON' }).locator('.json-string');
  await text.waitFor();
  assert.equal((await text.textContent()).length, 65_536 + 2);
  await button(/^Show all/).click();
  await button(/^Show all/).waitFor({ state: 'detached' });
  assert.equal((await text.textContent()).length, 100_000 + 2);
});

test('a page that cannot be drawn says so, and leaves nothing that can be pressed', async () => {
  await page.route(/\/v1\/redrives$/, (route) => route.fulfill({ json: { tasks: [null] } }));
  await page.to('/redrives');
  await page.getByRole('alert').getByText(/^This page failed: /).waitFor();
  assert.deepEqual(await page.locator('main').getByRole('button').allTextContents(), ['Reload']);
  await page.getByRole('link', { name: 'Send', exact: true }).click();
  await page.getByRole('heading', { name: 'Send a message' }).waitFor();
  await page.goBack();
  await page.getByText(/^This page failed: /).waitFor();
  await page.unroute(/\/v1\/redrives$/);
  await button('Reload').click();
  await page.getByRole('heading', { name: 'Redrives' }).waitFor();
});
