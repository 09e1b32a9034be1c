// The windows of one browser share its few connections to a server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, start_browser } from './harness.mjs';
import { flood } from './seed.mjs';

let server, browser;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  await server.api.put('/queues/orders', { deadLetterQueue: 'orders-dlq' });
  await flood(server.api, 'orders', 3);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const is_stream = (request) => new URL(request.url()).pathname === '/v1/events';

// A browser has six connections to a server over HTTP/1.1, and each stream has one for good.
test('more windows than a browser has connections are all live, and one stream serves them', async () => {
  const first = await open_page(browser, server.base);
  const context = first.context();
  const streams = [];
  context.on('request', (request) => is_stream(request) && streams.push(request.frame().page()));
  const windows = [first];
  while (windows.length < 8) windows.push(await context.newPage());
  for (const one of windows) {
    await one.goto(`${server.base}/dead-letters/orders-dlq?view=letters`);
    await one.locator('#row-0').waitFor();
    await one.getByText('live', { exact: true }).waitFor();
  }
  assert.equal(streams.length, 1);

  await flood(server.api, 'orders', 1);
  for (const one of windows) await one.getByText(/new dead letters? since: show/).waitFor();

  // Whichever window goes, the others stay live, and hear of what happens from now on.
  while (windows.length > 6) {
    const speaker = streams.at(-1);
    const count = streams.length;
    await speaker.close();
    windows.splice(windows.indexOf(speaker), 1);
    while (streams.length === count) await new Promise((done) => context.once('request', done));
    for (const one of windows) await one.getByText('live', { exact: true }).waitFor();
  }
  assert.equal(streams.length, 3);
  await context.close();
});
