// What the server did not say, or does not say to this token, is shown as not known, and never as zero or as nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, serious, start_browser } from './harness.mjs';
import { kill, side_by_side } from './seed.mjs';

const QUEUES = 90; // each with an arrow
const DEAD_LETTER_QUEUES = 120;
let server, browser, page;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  const { api } = server;
  const number = (i) => String(i).padStart(3, '0');
  await side_by_side(DEAD_LETTER_QUEUES, (i) => api.put(`/queues/d${number(i)}`));
  await side_by_side(QUEUES, (i) => api.put(`/queues/q${number(i)}`, { deadLetterQueue: `d${number(i)}` }));
  await api.patch('/queues/q000', { deadLetterRoutes: routes_to(QUEUES, DEAD_LETTER_QUEUES - 1), createMissing: true });
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const routes_to = (from, to) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ category: `c${i}`, queue: `d${String(from + i).padStart(3, '0')}` }));
const card = (name) => page.getByRole('region', { name, exact: true });

test('all that dead letters go to can be seen, and all queues on the left', async () => {
  await page.to('/?find=d001');
  const targets = page.locator('.routes .target');
  await targets.first().waitFor();
  assert.equal(await targets.count(), 12);
  await page.getByText('And 108 more queues that dead letters go to.').waitFor();
  await page.getByRole('button', { name: 'Show all 120' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.routes .edge').length === 120);
  const left = page.getByRole('navigation', { name: 'Pages' });
  assert.equal(await left.getByRole('link', { name: /^d1/ }).count(), 0);
  await left.getByRole('button', { name: 'And 20 more' }).click();
  await left.getByRole('link', { name: /^d119/ }).waitFor();
  assert.deepEqual(await serious(page), []);
});

test('nothing holds only while the server says so', async () => {
  await page.to('/');
  await page.getByText('There is no alert').waitFor();
  await page.route(/\/v1\/queues$/, (route) => route.abort());
  await card('Alerts and pauses').getByText('Not known: The server does not answer. There was no alert, pause or brake when it last did.').waitFor();
  await page.unroute(/\/v1\/queues$/);
});

test('redrives and journals that are not read are not none', async () => {
  await kill(server.api, 'q001', [{ body: '{}' }], () => ({ category: 'c', reason: 'r' }));
  const { items } = await server.api.get('/queues/d001/dead-letters');
  await page.route(/\/v1\/(redrives|messages)/, (route) => route.abort());
  await page.to('/');
  await card('Running redrives').getByText('Not known: The server does not answer.').waitFor();
  assert.equal(await card('Running redrives').getByText('None').count(), 0);
  await page.to('/redrives');
  await page.getByText('Not known: The server does not answer.').waitFor();
  assert.equal(await page.getByText('There are no redrives').count(), 0);
  await page.to(`/dead-letters/d001/${items[0].id}`);
  await card('Journal').getByText('Not known: The server does not answer.').waitFor();
  await page.unroute(/\/v1\/(redrives|messages)/);
  await page.reload();
  await card('Journal').getByText('No queue that it was in keeps a journal').waitFor();
});

test('numbers on arrows, ages and counts that are not read are not noughts', async () => {
  await page.route(/\/v1\/queues\/d001\/dead-letters\/groups|\/statistics/, (route) => route.abort());
  await page.to('/?find=d001');
  await page.getByRole('row', { name: /^d001/ }).getByText('?').waitFor();
  await page.locator('.routes .edge .arrow', { hasText: '?' }).first().waitFor();
  await page.unroute(/\/v1\/queues\/d001\/dead-letters\/groups|\/statistics/);
  await page.evaluate(() => localStorage.setItem('holdfast-visit-d001', String(Date.now() - 3_600_000)));
  await page.route(/groups\?.*diedFrom/, (route) => route.abort());
  await page.to('/dead-letters/d001');
  await page.locator('.figure', { hasText: 'New since your last visit' }).getByText('not known: The server').waitFor();
  await page.unroute(/groups\?.*diedFrom/);
});

test('an arrow has its number, of however many sources, and none that the server did not tell', async () => {
  const sources = 130;  // more than the server tells of unless it is asked for more
  await server.api.put('/queues/many');
  await side_by_side(sources, async (i) => {
    const name = `m${String(i).padStart(3, '0')}`;
    await server.api.put(`/queues/${name}`, { deadLetterQueue: 'many' });
    await kill(server.api, name, [{ body: '{}' }], () => ({ category: 'c', reason: 'r' }));
  });
  const numbers = (text) =>
    page.waitForFunction(
      ([wanted, count]) =>
        [...document.querySelectorAll('.routes .edge')].filter(
          (edge) => edge.querySelector('.arrow b').textContent === wanted,
        ).length >= count,
      [text, sources],
    );
  const open_all = async () => {
    await page.to('/');
    await page.getByRole('button', { name: /^Show all/ }).click();
    await page.getByRole('list', { name: 'What goes to many' }).getByRole('button', { name: /^and \d+ more$/ }).click();
  };
  await open_all();
  await numbers('1');
  for (const told of [
    { groups: [], leftOut: 130, total: 130, complete: true },
    { groups: [], leftOut: 0, total: 0, complete: false },
  ]) {
    await page.route(/many\/dead-letters\/groups/, (route) => route.fulfill({ json: told }));
    await open_all();
    await numbers('?');
    await page.locator('p', { hasText: told.complete ? 'tells of 1000 sources only' : 'only the first million' }).waitFor();
    await page.unroute(/many\/dead-letters\/groups/);
  }
});
