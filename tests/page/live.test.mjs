// An open list shows by itself what others do about dead letters. It stays where it is, and keeps what was chosen in
// it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, serious, start_browser } from './harness.mjs';
import { flood } from './seed.mjs';

const QUEUE = '/queues/bulk-dlq';
let server, browser, page, letters;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  await server.api.put(QUEUE, { parkingQueue: 'parked' });
  await server.api.put('/queues/bulk', { deadLetterQueue: 'bulk-dlq' });
  await flood(server.api, 'bulk', 300);
  letters = (await server.api.get(`${QUEUE}/dead-letters?newestFirst=true&max=300`)).items;
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const row = (at) => page.locator(`#row-${at}`);
const list = () => page.getByRole('listbox');
const scrolled = () => list().evaluate((one) => one.scrollTop);
const change = (at, changes) =>
  server.api.post(`${QUEUE}/dead-letters/change`, { selection: { filter: { ids: [letters[at].id] } }, ...changes });

test('triage by others shows in its row, and the list stays where it is', async () => {
  await page.to('/dead-letters/bulk-dlq?view=letters');
  await list().focus();
  for (let i = 0; i < 10; ++i) await page.keyboard.press('PageDown');
  const at = Number((await list().getAttribute('aria-activedescendant')).slice('row-'.length));
  assert.ok(at > 100);
  await page.keyboard.press('Space');
  await page.keyboard.press('k');
  await page.keyboard.press('Space');
  await page.getByText('for 2 chosen').waitFor();
  const y = await scrolled();
  assert.ok(y > 1000);
  await change(at, { assignee: 'bob', status: 'investigating' });
  await change(at - 1, { status: 'abandoned' });
  await server.api.post(`${QUEUE}/dead-letters/discard`, { selection: { filter: { ids: [letters[at - 2].id] } } });
  await server.api.post(`${QUEUE}/dead-letters/redrive`, { filter: { ids: [letters[at - 3].id] }, wait: false });
  await server.api.post(`${QUEUE}/dead-letters/redrive`, { action: 'park', filter: { ids: [letters[at - 4].id] } });
  await row(at).getByText('bob').waitFor();
  await row(at).getByText('investigating').waitFor();
  await row(at - 1)
    .getByText('abandoned')
    .waitFor();
  await row(at - 3)
    .getByText('replayed')
    .waitFor();
  await row(at - 4)
    .getByText('gone')
    .waitFor();
  assert.equal(await page.locator('.list-row.history').count(), 3);
  assert.equal(await scrolled(), y);
  assert.equal(await list().getAttribute('aria-activedescendant'), `row-${at - 1}`);
  await page.getByText('for 2 chosen').waitFor();
  assert.deepEqual(await serious(page), []);
  await page.getByRole('button', { name: '3 no longer belong here: hide' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.list-row.history').length === 0);
});

test('what somebody does here leaves the list where it is', async () => {
  await page.to('/dead-letters/bulk-dlq?view=letters&status=new');
  await list().focus();
  for (let i = 0; i < 8; ++i) await page.keyboard.press('PageDown');
  const [place, y] = [await list().getAttribute('aria-activedescendant'), await scrolled()];
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Abandon 1 dead letter' }).click();
  await page.locator(`#${place}`).getByText('abandoned').waitFor();
  assert.deepEqual([await list().getAttribute('aria-activedescendant'), await scrolled()], [place, y]);
  await page.getByRole('button', { name: '1 no longer belongs here: hide' }).waitFor();
});

test('what was chosen and has left is counted no more, and all of the list never takes its place', async () => {
  const { items } = await server.api.get(`${QUEUE}/dead-letters?newestFirst=true&max=3`);
  const discard = (id) => server.api.post(`${QUEUE}/dead-letters/discard`, { selection: { filter: { ids: [id] } } });
  await page.to('/dead-letters/bulk-dlq?view=letters');
  await page.locator('.list-row.current').waitFor();
  await page.keyboard.press('Space');
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  await page.getByText('for 2 chosen').waitFor();
  await discard(items[0].id);
  await page.getByText('for 1 chosen; 1 chosen one has left').waitFor();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Abandon 1 dead letter' }).waitFor();
  await page.keyboard.press('Escape');
  await discard(items[1].id);
  await page.getByText('for 0 chosen; 2 chosen ones have left').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Discard…' }).count(), 0);
  await page.getByRole('button', { name: 'Choose none' }).click();
  await page.getByText(/^for all/).waitFor();
});

test('ages go on while the server does not answer', async () => {
  const other = await open_page(browser, server.base);
  await other.clock.install();
  const { items } = await server.api.get(`${QUEUE}/dead-letters?max=1`);
  await other.to(`/find?q=${items[0].record.messageId}`);
  const age = other.getByRole('region', { name: 'Found with this id' }).getByRole('cell', { name: / ago$/ });
  await age.waitFor();
  await other.route('**/v1/**', (route) => route.abort());
  await other.clock.fastForward(3_600_000);
  await age.getByText(/^1(\.\d)? h ago$/).waitFor();
  await other.context().close();
});

test("ages are counted by the server's clock, wherever the browser's is", async () => {
  const { items } = await server.api.get(`${QUEUE}/dead-letters?max=1`);
  for (const days of [-3, 3]) {
    const other = await open_page(browser, server.base);
    await other.clock.setSystemTime(Date.now() + days * 86_400_000);
    await other.to(`/find?q=${items[0].record.messageId}`);
    const age = other.getByRole('region', { name: 'Found with this id' }).getByRole('cell', { name: / ago$/ });
    await age.getByText(/^\d+(\.\d)? (s|min) ago$/).waitFor();
    await other.context().close();
  }
});

test('nothing was complained about', () => assert.deepEqual(page.complaints, []));
