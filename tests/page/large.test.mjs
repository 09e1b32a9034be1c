// Forms have bodies that are as large as they can be, and a page cannot be drawn.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { open_page, Server, serious, start_browser } from './harness.mjs';
import { kill } from './seed.mjs';

const LARGE = 13 << 20; // as base64 it is near the most that a body may have
const LONG = 5 << 20;  // in characters, more than the page checks
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

// Submits also where a form says that it cannot be submitted: the page answers with the reason.
const submit = () => page.locator('form.form').evaluate((form) => form.requestSubmit());
const button = (name) => page.getByRole('button', { name });
// Sets the text as a paste does, since typing it takes minutes.
const paste = (field, text) =>
  field.evaluate((element, [piece, count]) => {
    element.value = piece[0] + piece[1].repeat(count) + piece[2];
    element.dispatchEvent(new Event('input', { bubbles: true }));
  }, text);

test('a large body goes as it stands in the field, or not at all', async () => {
  await page.to('/send?queue=orders');
  const field = page.getByLabel('Body', { exact: true });
  await paste(field, [['"', 'x', '"'], LONG]);
  await page.getByText('This is too long to be checked').waitFor();
  assert.match(await button('Send 1 message').getAttribute('title'), /^This is too long to be checked/);
  await submit();
  assert.equal((await server.api.get('/queues/orders')).counts.ready, 0);
  await page.getByLabel('It has to be JSON').uncheck();
  await button('Send 1 message').click();
  await page.getByText('Sent:').waitFor();
  const { deliveries } = await server.api.receive('orders', { max: 1 });
  assert.equal(deliveries[0].body.length, LONG + 2);
  await server.api.post('/deliveries/ack', { receipts: [deliveries[0].receipt] });
  assert.deepEqual(page.complaints, []);
});

test('large base64 is checked, and goes', async () => {
  await page.to('/send?queue=orders');
  await page.getByRole('tab', { name: 'Base64' }).click();
  await paste(page.getByLabel('Body, as base64'), [['', 'AAAA', ''], LARGE / 4]);
  await button('Send 1 message').click();
  await page.getByText('Sent:').waitFor();
  const { deliveries } = await server.api.receive('orders', { max: 1 });
  assert.equal(deliveries[0].body.length, (LARGE / 4) * 3);
  await server.api.post('/deliveries/ack', { receipts: [deliveries[0].receipt] });
});

test('a file goes once it is read, and never the one that was chosen before', async () => {
  await page.to('/send?queue=orders');
  await page.getByRole('tab', { name: 'File' }).click();
  const file = page.getByLabel('Body, from a file');
  const choose = (name) => file.setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
  await choose('first');
  await page.getByText('first: 5 B, sent unchanged.').waitFor();
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
  await page.getByText('second: 6 B, sent unchanged.').waitFor();
});

const dialog = () => page.getByRole('dialog');
const die = async (body, reason) => {
  await kill(server.api, 'orders', [{ body }], () => ({ category: 'c', reason }));
  return (await server.api.get(`/queues/orders-dlq/dead-letters?reason=${reason}`)).items[0].id;
};
const take = async () => {
  const { deliveries } = await server.api.receive('orders', { max: 1, wait: '10s' });
  await server.api.post('/deliveries/ack', { receipts: [deliveries[0].receipt] });
  return deliveries[0];
};
const begin_edit = async (id) => {
  await page.to(`/dead-letters/orders-dlq/${id}`);
  await button(/^Edit and redrive/).click();
  await dialog().getByRole('heading', { name: /^Edit and redrive/ }).waitFor();
};
const choose_file = (text) =>
  dialog()
    .getByLabel('Choose a file with the new body')
    .setInputFiles({ name: 'new', mimeType: 'text/plain', buffer: Buffer.from(text) });

test('a body of so many characters, or lines, is in a field; a longer one is a file', async () => {
  for (const [body, is_field] of [
    [`"${'x'.repeat((256 << 10) - 2)}"`, true],
    [`"${'x'.repeat((256 << 10) - 1)}"`, false],
    ['\n'.repeat(4999) + '1', true],
    ['\n'.repeat(5000) + '1', false],
  ]) {
    await begin_edit(await die(body, `b${body.length}`));
    assert.equal(await dialog().getByLabel('Body', { exact: true }).count(), is_field ? 1 : 0, String(body.length));
    assert.equal(await dialog().getByRole('tab', { name: 'From a file' }).count(), is_field ? 0 : 1);
  }
});

test('what is indented past what a field takes stays as it was', async () => {
  await begin_edit(await die(`[${'1,'.repeat(6000)}1]`, 'indent'));
  await button('Indent').click();
  await page.getByText('The indented text is too long for a field.').waitFor();
  assert.equal(await dialog().getByLabel('Body', { exact: true }).evaluate((field) => field.value.length), 12_003);
});

test('Two MiB of short lines are edited as a file, and what was changed is shown, also when it died again', async () => {
  const lines = 1 << 20;
  const before = '\n \n'.repeat(4) + '\n '.repeat(lines - 8) + '\n11';
  const after = before.slice(0, -1) + '2';
  await begin_edit(await die(before, 'lines'));
  assert.equal(await dialog().getByRole('textbox').count(), 1);  // it is for the attributes
  const [download] = await Promise.all([page.waitForEvent('download'), dialog().getByRole('button', { name: 'Download' }).click()]);
  assert.equal(readFileSync(await download.path(), 'utf8'), before);
  await dialog().getByRole('tab', { name: 'From a file' }).click();
  assert.equal(await button('Compare').getAttribute('title'), 'No file is chosen.');
  await choose_file(after);
  await dialog().getByText(/^new: 2\.0 MiB/).waitFor();
  await dialog().getByText('The browser does not keep the file').waitFor();
  assert.deepEqual(await serious(page), []);
  await button('Compare').click();
  const changed = async (place) => [await place.locator('.diff .gone').allTextContents(), await place.locator('.diff .new').allTextContents()];
  const is_shown = [['−removed: 11'], ['+added: 12']];
  await dialog().locator('.diff .new').waitFor();
  assert.deepEqual(await changed(dialog()), is_shown);
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  const { deliveries } = await server.api.receive('orders', { max: 1, wait: '10s' });
  assert.ok(deliveries[0].body === after);
  await server.api.post('/deliveries/reject', { receipts: [deliveries[0].receipt], rejection: { reason: 'again' } });
  const { items } = await server.api.get('/queues/orders-dlq/dead-letters?reason=again');
  await page.to(`/dead-letters/orders-dlq/${items[0].id}`);
  await page.getByText('Edited by an earlier redrive: what was changed').click();
  await page.locator('main .diff .new').waitFor();
  assert.deepEqual(await changed(page.locator('main')), is_shown);
});

test('what of two long texts is not compared is said to be so', async () => {
  const lines = (first, last) => `[${first},\n${'0,\n'.repeat(9000)}${last}]`;
  await begin_edit(await die(lines('1', '2'), 'compared'));
  await dialog().getByRole('tab', { name: 'From a file' }).click();
  await choose_file(lines('3', '4'));
  await button('Compare').click();
  await dialog().getByText(/^The rest is not compared: 8,\d{3} lines in both texts together\.$/).waitFor();
  await page.keyboard.press('Escape');
});

test('of a body without a field, the attributes alone can be changed', async () => {
  await begin_edit(await die(`"${'x'.repeat(300_000)}"`, 'attributes'));
  await dialog().getByLabel(/^Attributes/).fill('tenant: north');
  await button('Compare').click();
  await dialog().getByText('The body is not changed.').waitFor();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  const { body, attributes } = await take();
  assert.equal(body.length, 300_000 + 2);
  assert.deepEqual(attributes, [{ name: 'tenant', value: 'north' }]);
});

test('a body without a field is changed by a JSON Patch, which outlives the page', async () => {
  const id = await die(`{"quantity":0,"filler":"${'x'.repeat(300_000)}"}`, 'patch');
  await begin_edit(id);
  await dialog().getByRole('tab', { name: 'JSON Patch' }).click();
  const patch = dialog().getByLabel('JSON Patch', { exact: true });
  await patch.fill('{"op":"replace"}');
  assert.equal(await button('Compare').getAttribute('title'), 'A JSON Patch is an array of changes.');
  await patch.fill('[{"op":"replace","path":"/quantity","value":3}]');
  await page.reload();
  await button('Go on with the edit').click();
  assert.equal(await patch.inputValue(), '[{"op":"replace","path":"/quantity","value":3}]');
  await button('Compare').click();
  await dialog().getByText('"path":"/quantity"').waitFor();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  assert.equal(JSON.parse((await take()).body).quantity, 3);
});

test('a body that is no text is changed to what a file has', async () => {
  await server.api.post('/queues/orders/messages/batch', { messages: [{ bodyBase64: '/wA=' }] });
  const { deliveries } = await server.api.receive('orders', { max: 1 });
  await server.api.post('/deliveries/reject', { receipts: [deliveries[0].receipt], rejection: { reason: 'bytes' } });
  await begin_edit((await server.api.get('/queues/orders-dlq/dead-letters?reason=bytes')).items[0].id);
  await dialog().getByText('The body is not UTF-8 text').waitFor();
  await dialog().getByRole('tab', { name: 'From a file' }).click();
  await choose_file('text');
  await button('Compare').click();
  await dialog().getByText('2 bytes became 4 bytes').waitFor();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  assert.equal((await take()).body, 'text');
});

test('what a person pastes into the field of a letter is theirs, and is said not to be kept', async () => {
  await begin_edit(await die('"small"', 'pasted'));
  const field = dialog().getByLabel('Body', { exact: true });
  await paste(field, [['"', 'x', 'y"'], 512 << 10]);
  await dialog().getByText('It is too large for the browser to keep').waitFor();
  await button('Compare').click();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  assert.equal((await take()).body.at(-2), 'y');
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
