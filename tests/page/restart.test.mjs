// The server ends and comes back under an open page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, serious, start_browser } from './harness.mjs';
import { kill } from './seed.mjs';

let server, browser, page;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  await server.api.put('/queues/orders-dlq');
  await server.api.put('/queues/orders', { deadLetterQueue: 'orders-dlq' });
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const fail = (count) =>
  kill(
    server.api,
    'orders',
    Array.from({ length: count }, () => ({ body: '{}' })),
    () => ({ category: 'c', reason: 'r' }),
  );
const dead = (count) => page.locator('.figure', { hasText: 'Dead letters' }).getByText(count.toLocaleString('en-US'), { exact: true });

test('under a flood that does not end the numbers follow', async () => {
  await page.to('/dead-letters/orders-dlq');
  await page.getByRole('heading', { name: 'orders-dlq' }).waitFor();
  let on = true;
  const flood = (async () => {
    while (on) await fail(1);
  })();
  const shown = page.locator('.figure', { hasText: 'Dead letters' }).locator('dd');
  try {
    for (let i = 0; i < 5; ++i) {
      const before = await shown.innerText();
      await page.waitForFunction(
        ([element, text]) => element.innerText !== text,
        [await shown.elementHandle(), before],
      );
    }
  } finally {
    on = false;
    await flood;
  }
});

test('a server that stands still breaks no connection, and is said not to answer', async () => {
  const { counts } = await server.api.get('/queues/orders-dlq');
  const other = await open_page(browser, server.base);
  await other.clock.install();
  await other.to('/dead-letters/orders-dlq');
  const top = other.locator('.top');
  await top.getByText('live', { exact: true }).waitFor();
  server.pause();
  try {
    const until_told = async (text) => {
      let seconds = 0;
      for (; !(await top.getByText(text).isVisible()); ++seconds) await other.clock.runFor(1000);
      return seconds;
    };
    assert.ok((await until_told('no response')) < 12);
    await top.getByText(/^for \d+ s$/).waitFor();
    assert.deepEqual(await serious(other), []);
    await until_told('no connection');
    await top.getByText(/^for (1[5-9]|2\d) s$/).waitFor();
  } finally {
    server.go_on();
  }
  await fail(1);
  const deaths = other.locator('.figure', { hasText: 'Dead letters' });
  const seen = deaths.getByText((counts.dead + 1).toLocaleString('en-US'), { exact: true }).waitFor();
  let is_seen = false;
  void seen.then(() => (is_seen = true));
  while (!is_seen) await other.clock.runFor(1000);
  await top.getByText('live', { exact: true }).waitFor();
  await other.close();
});

for (const signal of ['SIGTERM', 'SIGKILL']) {
  test(`after ${signal} the page says that it is cut off, and then goes on by itself`, async () => {
    const { counts } = await server.api.get('/queues/orders-dlq');
    await page.to('/dead-letters/orders-dlq');
    await fail(3);
    await dead(counts.dead + 3).waitFor();
    await server.halt(signal);
    await page.locator('.top').getByText('no connection').waitFor();
    await page.getByText('The server does not answer.').first().waitFor();
    await server.run(server.port);
    await fail(4);
    await page.locator('.top').getByText('live').waitFor();
    await dead(counts.dead + 7).waitFor();
    await page.getByText('The server does not answer.').first().waitFor({ state: 'detached' });
  });
}

test('all that was complained about is that there was no connection', () => {
  assert.deepEqual(
    page.complaints.filter((one) => !/net::ERR|Failed to load resource/.test(one)),
    [],
  );
});
