// An edit of a dead letter outlives the end of a session and the letter itself, and is not sent over what others did.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { lose_answers, open_page, Server, serious, start_browser } from './harness.mjs';
import { Api, kill } from './seed.mjs';

const QUEUE = '/queues/orders-dlq';
const NAMES = ['ann', 'bob'];
let directory, server, browser, page, bob;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  const tokens = join(directory, 'tokens');
  const line = (name) => `${name} ${createHash('sha256').update(`${name}-token`).digest('hex')} all:*\n`;
  writeFileSync(tokens, NAMES.map(line).join(''), { mode: 0o600 });
  [server, browser] = await Promise.all([Server.start({ data: directory, tokens }), start_browser()]);
  bob = new Api(server.base, 'bob-token');
  await bob.put(QUEUE);
  await bob.put('/queues/orders', { deadLetterQueue: 'orders-dlq' });
  page = await open_page(browser, server.base);
  await page.to('/');
  await sign_in('ann');
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

const button = (name) => page.getByRole('button', { name });
const dialog = () => page.getByRole('dialog');
const body = () => dialog().getByLabel('Body', { exact: true });
const note = () => page.getByRole('region', { name: 'An edit that was not sent' });
const drafts = () => page.evaluate(() => Object.keys(sessionStorage).filter((one) => one.includes('draft')));

async function sign_in(name) {
  await page.getByLabel('Token').fill(`${name}-token`);
  await button('Sign in').click();
  await page.locator('.top').getByText(name, { exact: true }).waitFor();
}

async function dead(reason) {
  await kill(bob, 'orders', [{ body: '{"quantity":0}' }], () => ({ category: 'c', reason }));
  return (await bob.get(`${QUEUE}/dead-letters?reason=${reason}`)).items[0];
}

const focus_is_on = (text) =>
  page.waitForFunction((wanted) => (document.activeElement.labels?.[0] ?? document.activeElement).textContent === wanted, text);

async function take_edited() {
  const { deliveries } = await bob.receive('orders', { max: 1, wait: '10s' });
  assert.equal(deliveries[0].body, '{"quantity":3}');
  await bob.post('/deliveries/ack', { receipts: [deliveries[0].receipt] });
}

async function begin_edit(letter) {
  await page.to(`/dead-letters/orders-dlq/${letter.id}`);
  await button(/^Edit and redrive/).click();
  await body().fill('{"quantity":3}');
  await dialog().getByText('This is not JSON').waitFor({ state: 'detached' });
}

test('the end of a session loses no edit', async () => {
  const letter = await dead('session');
  await begin_edit(letter);
  await server.restart();
  await page.getByLabel('Token').waitFor();
  await page.getByText('The session of ann is over').waitFor();
  await sign_in('ann');
  await note().waitFor();
  assert.deepEqual(await serious(page), []);
  await button('Go on with the edit').click();
  assert.equal(await body().inputValue(), '{"quantity":3}');
  await button('Compare').click();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  assert.deepEqual(await drafts(), []);
  await take_edited();
});

test('an edit of a letter that others discard stays, and can be copied', async () => {
  const letter = await dead('discarded');
  await begin_edit(letter);
  await bob.post(`${QUEUE}/dead-letters/discard`, { selection: { filter: { ids: [letter.id] } } });
  await dialog().getByText('Somebody redrove, parked or discarded it meanwhile.').waitFor();
  assert.equal(await body().inputValue(), '{"quantity":3}');
  await button('Compare').click();
  assert.equal(await button(/^Redrive 1 dead letter/).getAttribute('aria-disabled'), 'true');
  await page.keyboard.press('Escape');
  await page.reload();
  assert.equal(await note().getByLabel('Body, as it was edited').inputValue(), '{"quantity":3}');
  assert.deepEqual(await serious(page), []);
  await button('Throw the edit away').click();
  await note().waitFor({ state: 'detached' });
  assert.deepEqual(await drafts(), []);
});

test('attributes in another order are no edit, and the focus goes along to the comparison and back', async () => {
  const attributes = ['tenant', 'region'].map((name) => ({ name, value: name }));
  await kill(bob, 'orders', [{ body: '{}', attributes }], () => ({ category: 'c', reason: 'order' }));
  const letter = (await bob.get(`${QUEUE}/dead-letters?reason=order`)).items[0];
  await page.to(`/dead-letters/orders-dlq/${letter.id}`);
  await button(/^Edit and redrive/).click();
  const field = dialog().getByLabel(/^Attributes/);
  const turned = (await field.inputValue()).split('\n').reverse().join('\n');
  await field.fill(turned);
  assert.equal(await button('Compare').getAttribute('title'), 'Nothing is changed yet.');
  await field.fill(`${turned}\nfixed-by: ann`);
  await button('Compare').click();
  await focus_is_on('Body');
  const diff = dialog().getByRole('group', { name: 'Original and edited attributes' });
  assert.deepEqual(await diff.locator('.new').allTextContents(), ['+added: fixed-by: ann']);
  assert.equal(await diff.locator('.gone').count(), 0);
  await button('Go on editing').click();
  await focus_is_on('Body');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'TEXTAREA');
  await page.keyboard.press('Escape');
  await button('Throw the edit away').click();
});

test('an edit whose answer was lost goes once, and its redrive says what it takes', async () => {
  const letter = await dead('lost');
  await begin_edit(letter);
  await button('Compare').click();
  const ids = await lose_answers(page, '**/orders-dlq/dead-letters/redrive', 1);
  await button(/^Redrive 1 dead letter/).click();
  await page.getByText('The server does not answer.').waitFor();
  await dialog().getByText('The answer of the server was lost').waitFor();
  // By now the page knows that the letter has gone. It does not say that somebody took it.
  await page.waitForResponse(async (answer) => (await answer.text()).includes('"history":true'));
  assert.equal(await dialog().getByText('Somebody redrove').count(), 0);
  await button('Redrive 1 dead letter, edited: try again').click();
  await page.waitForURL(/redrives\/\d+$/);
  await page.getByText('1 moved, 0 left in place.').waitFor();
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
  assert.deepEqual(await drafts(), []);
  await take_edited();
  assert.equal((await bob.get('/queues/orders')).counts.ready, 0);
  const second = await dead('told');
  await begin_edit(second);
  await button('Compare').click();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  const which = page.getByRole('region', { name: 'Which letters' });
  await which.getByText('1 by hand').waitFor();
  await which.getByText('Edited on the way.').waitFor();
  await page.reload();
  await which.getByText('1 by hand').waitFor();
  await take_edited();
  const { task } = await bob.post(`${QUEUE}/dead-letters/redrive`, { filter: { category: 'none' }, wait: false });
  await page.to(`/redrives/${task}`);
  await which.getByText('This redrive was not started in this tab').waitFor();
});

const REDRIVE = '**/orders-dlq/dead-letters/redrive';
const lost_note = () => page.getByRole('region', { name: 'An edit whose answer was lost' });

async function send_and_lose() {
  await button('Compare').click();
  await button(/^Redrive 1 dead letter/).click();
  await dialog().getByText('The answer of the server was lost').waitFor();
}

test('an edit that was changed after its answer was lost is another one, which is not sent where the first one was', async () => {
  const letter = await dead('changed');
  await begin_edit(letter);
  await button('Compare').click();
  await page.unroute(REDRIVE);
  const ids = await lose_answers(page, REDRIVE, 1);
  await button(/^Redrive 1 dead letter/).click();
  await dialog().getByText('The answer of the server was lost').waitFor();
  await button('Go on editing').click();
  await body().fill('{"quantity":4}');
  await dialog().getByText('It may have gone by the try whose answer was lost').waitFor();
  await button('Compare').click();
  assert.equal(await button(/^Redrive 1 dead letter/).getAttribute('aria-disabled'), 'true');
  assert.equal(ids.length, 1);
  await page.unroute(REDRIVE);
  await page.keyboard.press('Escape');
  await button('Throw the edit away').click();
  await take_edited();
});

test('an edit whose answer was lost is known to be sent after a reload, and another try is the same one', async () => {
  const letter = await dead('reloaded');
  await begin_edit(letter);
  await page.unroute(REDRIVE);
  const ids = await lose_answers(page, REDRIVE, 1);
  await send_and_lose();
  await page.reload();
  await lost_note().getByText(/was sent at .* UTC, and its answer was lost: it may have gone/).waitFor();
  await lost_note().getByText('Its message is not in the queue any more.').waitFor();
  assert.equal(await note().count(), 0);
  assert.deepEqual(await serious(page), []);
  await lost_note().getByRole('button', { name: 'Try again' }).click();
  await page.waitForURL(/redrives\/\d+$/);
  await page.getByText('1 moved, 0 left in place.').waitFor();
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
  assert.deepEqual(await drafts(), []);
  await take_edited();
  assert.equal((await bob.get('/queues/orders')).counts.ready, 0);
});

test('an edit that was sent and never came is tried again from a dialog that was opened anew', async () => {
  const letter = await dead('never-came');
  await begin_edit(letter);
  await page.unroute(REDRIVE);
  const ids = [];
  await page.route(REDRIVE, (route) => {
    ids.push(route.request().postDataJSON().requestId);
    return ids.length > 1 ? route.continue() : route.abort('connectionreset');
  });
  await send_and_lose();
  await page.keyboard.press('Escape');
  await lost_note().getByText('The letter is still here.').waitFor();
  await button('Go on with the edit').click();
  await dialog().getByText('The answer of the server was lost').waitFor();
  await button('Compare').click();
  await button('Redrive 1 dead letter, edited: try again').click();
  await page.waitForURL(/redrives\/\d+$/);
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
  await page.unroute(REDRIVE);
  await take_edited();
});

test('an edit whose redrive told no result is not said to have lost its answer, and its redrive is looked at again', async () => {
  const letter = await dead('no-result');
  await begin_edit(letter);
  await page.route('**/v1/redrives/*', (route) => route.abort('connectionreset'));
  const sent = [];
  page.on('request', (request) => request.url().endsWith('/dead-letters/redrive') && sent.push(request));
  await button('Compare').click();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  const task = page.url().split('/').at(-1);
  await page.to(`/dead-letters/orders-dlq/${letter.id}`);
  const unknown = page.getByRole('region', { name: 'An edit whose result is not known' });
  await unknown.getByText(`by redrive ${task}, and what became of it was not known then.`).waitFor();
  assert.equal(await page.getByText('answer was lost').count(), 0);
  assert.deepEqual(await serious(page), []);
  await page.unroute('**/v1/redrives/*');
  await button('Look again').click();
  await page.waitForURL(new RegExp(`redrives/${task}$`));
  await page.getByText('1 moved, 0 left in place.').waitFor();
  assert.deepEqual([sent.length, await drafts()], [1, []]);
  await take_edited();
});

test('a try that the server has forgotten is another one, before which the letter is looked at', async () => {
  const letter = await dead('forgotten');
  await begin_edit(letter);
  const ids = [];
  await page.route(REDRIVE, (route) => {
    ids.push(route.request().postDataJSON().requestId);
    return ids.length > 1 ? route.continue() : route.abort('connectionreset');
  });
  await page.clock.install();
  await send_and_lose();
  await button('Redrive 1 dead letter, edited: try again').waitFor();
  await page.clock.fastForward('05:00');
  await dialog().getByText('That is more than five minutes ago').waitFor();
  await dialog().getByText('another try looks at the letter first').waitFor();
  assert.equal(await dialog().getByText('does nothing twice').count(), 0);
  await page.keyboard.press('Escape');
  await lost_note().waitFor();
  assert.equal(await button('Try again').count(), 0);
  await button('Go on with the edit').click();
  await button('Compare').click();
  await page.getByRole('button', { name: 'Redrive 1 dead letter, edited', exact: true }).click();
  await page.clock.fastForward(1000);
  await page.waitForURL(/redrives\/\d+$/);
  assert.deepEqual([ids.length, new Set(ids).size], [2, 2]);
  await page.unroute(REDRIVE);
  await page.context().close();
  page = await open_page(browser, server.base);
  await page.to('/');
  await sign_in('ann');
  await take_edited();
});

test('what others did meanwhile is shown before an edit is sent', async () => {
  const letter = await dead('triaged');
  await begin_edit(letter);
  await button('Compare').click();
  const { tasks: before = [] } = await bob.get('/redrives');
  await bob.post(`${QUEUE}/dead-letters/change`, {
    selection: { filter: { ids: [letter.id] } },
    status: 'investigating',
    assignee: 'bob',
    note: 'wait for the warehouse',
  });
  await button(/^Redrive 1 dead letter/).click();
  for (const text of ['Its status is investigating; it was new.', 'It is assigned to bob.', 'bob noted: wait for the warehouse'])
    await dialog().getByText(text).waitFor();
  assert.equal(((await bob.get('/redrives')).tasks ?? []).length, before.length);
  await button('Redrive 1 dead letter, edited, anyway').click();
  await page.waitForURL(/redrives\/\d+$/);
  await page.getByText('1 moved, 0 left in place.').waitFor();
  await take_edited();
});

test('an edit that comes a moment too late is not sent, and not lost', async () => {
  const letter = await dead('late');
  await begin_edit(letter);
  await button('Compare').click();
  await page.route('**/orders-dlq/dead-letters/redrive', async (route) => {
    await bob.post(`${QUEUE}/dead-letters/change`, { selection: { filter: { ids: [letter.id] } }, assignee: 'bob' });
    await route.continue();
  });
  await button(/^Redrive 1 dead letter/).click();
  await page.getByText('Nothing was sent: somebody changed the letter at the same moment.').waitFor();
  await dialog().getByText('It is assigned to bob.').waitFor();
  assert.equal((await drafts()).length, 1);
  assert.equal((await bob.get('/queues/orders')).counts.ready, 0);
  await page.unroute('**/orders-dlq/dead-letters/redrive');
  await page.keyboard.press('Escape');
  await button('Throw the edit away').click();
});

test('an edit that the server leaves where it is says why, and can go elsewhere where its queue is gone', async () => {
  await bob.put('/queues/gone', { deadLetterQueue: 'orders-dlq' });
  await kill(bob, 'gone', [{ body: '{"quantity":0}' }], () => ({ category: 'c', reason: 'gone' }));
  const letter = (await bob.get(`${QUEUE}/dead-letters?reason=gone`)).items[0];
  await begin_edit(letter);
  await button('Compare').click();
  await bob.call('DELETE', '/queues/gone');
  await button(/^Redrive 1 dead letter/).click();
  await page.getByText('Nothing was sent: the queue that it came from is deleted.').waitFor();
  await dialog().getByText('It can go to another one.').waitFor();
  assert.equal(await button(/^Redrive 1 dead letter/).getAttribute('aria-disabled'), 'true');
  assert.deepEqual(await serious(page), []);
  await dialog().getByLabel('Send it to').selectOption('orders');
  await dialog().getByText('The message goes to orders.').waitFor();
  await button(/^Redrive 1 dead letter/).click();
  await page.waitForURL(/redrives\/\d+$/);
  await take_edited();
});

test('a draft ends when its owner signs out in another tab, which is said', async () => {
  await begin_edit(await dead('left'));
  const other = await page.context().newPage();
  await other.goto(server.base);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('ann signed out in another tab.').waitFor();
  assert.equal(await page.getByText('The session of ann').count(), 0);
  assert.deepEqual(await drafts(), []);
  await other.close();
  await sign_in('ann');
});

test('a draft ends when its owner signs out, and is not shown to who signs in after', async () => {
  const letter = await dead('private');
  await begin_edit(letter);
  await page.keyboard.press('Escape');
  await note().waitFor();
  assert.equal((await drafts()).length, 1);
  await button('Sign out').click();
  await page.getByLabel('Token').waitFor();
  assert.equal(await page.getByText('The session of ann').count(), 0);
  assert.deepEqual(await drafts(), []);
  await sign_in('ann');
  await begin_edit(letter);
  await server.restart();
  await page.getByLabel('Token').waitFor();
  await sign_in('bob');
  await button(/^Edit and redrive/).waitFor();
  assert.equal(await note().count(), 0);
  assert.deepEqual(await drafts(), []);
});
