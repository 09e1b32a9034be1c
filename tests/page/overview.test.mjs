// The overview of many queues. What hurts is at the top, what is quiet is one line, and the picture of where dead
// letters go can be read, also on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, serious, start_browser } from './harness.mjs';
import { kill, side_by_side } from './seed.mjs';

const QUIET = 41;
const SOURCES = 18;  // how many dead-letter to zz-dlq
let server, browser, page;

const two = (i) => String(i).padStart(2, '0');
const dead = (queue, count) =>
  kill(
    server.api,
    queue,
    Array.from({ length: count }, (_, i) => ({ body: `{"n":${i}}` })),
    () => ({ category: 'timeout', reason: 'no answer' }),
  );

// There are 65 queues: 41 quiet ones, 18 that dead-letter to one, and six in which something is.
before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  const { api } = server;
  await api.put('/queues/zz-dlq', { alerts: { depth: 2, depthCritical: 8 } });
  await api.put('/queues/yy-dlq', { alerts: { depth: 2 } });
  await side_by_side(QUIET, (i) => api.put(`/queues/quiet-${two(i)}`));
  await side_by_side(SOURCES, (i) => api.put(`/queues/source-${two(i)}`, { deadLetterQueue: 'zz-dlq' }));
  await api.put('/queues/mm', { deadLetterQueue: 'yy-dlq', deadLetterRoutes: [{ category: 'spam', queue: 'zz-dlq' }] });
  await api.put('/queues/bb');
  await api.put('/queues/cc');
  await api.put('/queues/dd');
  await api.post('/queues/bb/messages/batch', { messages: [{ body: 'x' }] });
  await api.post('/queues/cc/pause', { deliveries: true });
  await api.post('/queues/dd/messages/batch', { messages: [{ body: 'x' }, { body: 'y' }] });
  for (let i = 0; i < 12; ++i) await dead(`source-${two(i)}`, i === 7 ? 5 : 1);
  await dead('mm', 4);
  await side_by_side(SOURCES, (i) => api.post(`/queues/source-${two(i)}/messages/batch`, { messages: [{ body: 'x' }] }));
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const names = () => page.locator('.queue-table tbody th').allInnerTexts();
const routes = () => page.getByRole('region', { name: 'Where dead letters go' });

test('what hurts is at the top, and what is quiet is one line, which opens and stays so in the address', async () => {
  await page.to('/');
  const line = page.getByRole('button', { name: `${QUIET} queues are quiet` });
  await line.waitFor();
  await page.locator('.queue-table tr', { hasText: 'yy-dlq' }).getByText('warning').waitFor();
  const shown = await names();
  assert.deepEqual(shown.slice(0, 3), ['zz-dlq', 'yy-dlq', 'cc']);
  assert.equal(shown.filter((one) => one.startsWith('quiet')).length, 0);
  await line.click();
  await page.waitForURL(/quiet=shown/);
  await page.reload();
  await page.locator('.queue-table tbody tr', { hasText: 'quiet-40' }).waitFor();
  await line.click();
  await page.locator('.queue-table tbody tr', { hasText: 'quiet-40' }).waitFor({ state: 'detached' });
  assert.deepEqual(await serious(page), []);
});

test('an order that somebody chose stands in the address, and shows all', async () => {
  await page.to('/');
  await page.getByRole('columnheader', { name: 'Ready', exact: true }).getByRole('button').click();
  await page.waitForURL(/order=ready/);
  await page.reload();
  await page.locator('.queue-table tbody tr', { hasText: 'quiet-40' }).waitFor();
  await page.getByRole('columnheader', { name: 'Queue' }).getByRole('button').click();
  await page.waitForURL(/order=name/);
  assert.deepEqual((await names()).slice(0, 4), ['bb', 'cc', 'dd', 'mm']);
  await page.getByRole('columnheader', { name: 'Bytes' }).getByRole('button').click();
  assert.equal((await names()).length, QUIET + SOURCES + 6);
  await page.getByRole('columnheader', { name: 'State' }).getByRole('button').click();
  await page.waitForURL((url) => !url.search.includes('order'));
  assert.equal((await names())[0], 'zz-dlq');
});

test('a queue that is looked for is found, however quiet it is', async () => {
  await page.to('/?find=quiet-17');
  await page.locator('.queue-table').getByRole('link', { name: 'quiet-17' }).waitFor();
  assert.equal(await page.getByText('queues are quiet').count(), 0);
});

test('where dead letters go is drawn by where that is: the most first, many folded, with their numbers', async () => {
  await page.to('/');
  const into = routes().getByRole('list', { name: 'What goes to zz-dlq' });
  const edges = into.locator('.edge');
  await edges.first().getByText('5', { exact: true }).waitFor();
  assert.equal(await edges.first().getByRole('link').innerText(), 'source-07');
  assert.equal(await edges.count(), 6);
  // Seven of the 14 others have one letter each.
  await into.locator('.rest .arrow', { hasText: /^7$/ }).waitFor();
  await into.getByRole('button', { name: 'and 14 more' }).click();
  assert.equal(await edges.count(), SOURCES + 1);
  await into.locator('.edge', { hasText: 'mm' }).getByText('spam').waitFor();
  await into.getByRole('button', { name: 'Show fewer' }).click();
  assert.equal(await edges.count(), 6);
});

test('only the routes to dead letters are shown to who asks for them', async () => {
  await server.api.put('/queues/idle-dlq');
  await server.api.put('/queues/idle', { deadLetterQueue: 'idle-dlq' });
  await page.to('/');
  await routes().getByRole('list', { name: 'What goes to idle-dlq' }).waitFor();
  await routes().getByRole('checkbox', { name: 'Only those with dead letters' }).check();
  await page.waitForURL(/routes=dead/);
  await routes().getByRole('list', { name: 'What goes to idle-dlq' }).waitFor({ state: 'detached' });
  await routes().getByRole('list', { name: 'What goes to yy-dlq' }).waitFor();
});

test('a phone shows the whole of the picture', async () => {
  const phone = await open_page(browser, server.base, { width: 360, height: 780 });
  await phone.to('/');
  await phone.locator('.routes .target').first().waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth), 360);
  const right = await phone.locator('.routes .into').evaluateAll((all) => Math.max(...all.map((one) => one.getBoundingClientRect().right)));
  assert.ok(right <= 360, `${right}`);
  await phone.context().close();
});

test('each page has a title of its own', async () => {
  for (const [path, title] of [
    ['/', 'Overview'],
    ['/queues/dd', 'dd · queue'],
    ['/queues/dd?view=options', 'dd · options'],
    ['/dead-letters/zz-dlq', 'zz-dlq · dead letters'],
    ['/analytics?queue=zz-dlq', 'zz-dlq · analytics'],
    ['/redrives/new?queue=zz-dlq', 'zz-dlq · new redrive'],
    ['/find?q=abc', 'abc · find'],
  ]) {
    await page.to(path);
    await page.waitForFunction((wanted) => document.title === `${wanted} · Holdfast`, title);
  }
});

test('a dead letter queue without letters says so, and what its arrivals leave out', async () => {
  await page.to('/dead-letters/idle-dlq');
  await page.getByText('No message has died into this queue in the last two days.').waitFor();
  await page.getByText('Letters that were imported or parked here died elsewhere and are not counted.').waitFor();
  for (const name of ['Share', 'Time since death'])
    await page.getByRole('region', { name, exact: true }).getByText('No dead letter is here.').waitFor();
  await page.to('/dead-letters/zz-dlq');
  // The first hours of today may have no room for the day's name.
  const days = [0, 86_400_000].map((ago) => new Date(Date.now() - ago).toISOString().slice(0, 10));
  await page.locator('.chart .day', { hasText: new RegExp(days.join('|')) }).first().waitFor();
  await page.getByRole('link', { name: 'younger than 10 min' }).waitFor();
  await page.to('/analytics?queue=idle-dlq&span=1h');
  await page.getByText('No dead letter of idle-dlq died in the last hour. Choose a longer time, or include history.').waitFor();
});

test('a queue says where its dead letters go, by category', async () => {
  await page.to('/queues/mm');
  const head = page.locator('.page-head');
  await head.getByText('dead letters of spam go to zz-dlq').waitFor();
  await head.getByText('other dead letters go to yy-dlq').waitFor();
  await page.to('/queues/source-00');
  await head.getByText(/^dead letters go to zz-dlq$/).waitFor();
});

test('what dies into a dead letter queue comes in, and what is discarded goes out', async () => {
  await page.to('/?find=yy-dlq');  // for few queues the page reads the numbers every five seconds
  const rates = page.locator('.queue-table tr', { hasText: 'yy-dlq' }).locator('td.rate');
  await rates.nth(1).getByText('0/s').waitFor();
  await page.getByText('For a dead letter queue, In is what dies into it').waitFor();
  await dead('mm', 30);
  const moving = /[1-9].*\/(s|min)$/;
  await rates.nth(0).filter({ hasText: moving }).waitFor();
  await server.api.post('/queues/yy-dlq/dead-letters/discard', { selection: { filter: { category: 'timeout' } } });
  await rates.nth(1).filter({ hasText: moving }).waitFor();
});

test('nothing was complained about', () => assert.deepEqual(page.complaints, []));
