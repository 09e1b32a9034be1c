// A page of another origin may have the browser embed the server's answers. It learns nothing of a queue by that,
// whether or not the browser says whose page asks.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { Server, start_browser } from './harness.mjs';

let server, browser, stranger, origin;

before(async () => {
  // A browser says where a request comes from only if the server's name is one of this machine's own. So another name
  // leads to the server too.
  [server, browser] = await Promise.all([
    Server.start({ options: ['--http-host', 'queue.test'] }),
    start_browser(['--host-resolver-rules=MAP *.test 127.0.0.1']),
  ]);
  await server.api.put('/queues/orders');
  stranger = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<!doctype html><body>'));
  await new Promise((listens) => stranger.listen(0, '127.0.0.1', listens));
  origin = `http://stranger.test:${stranger.address().port}`;
});
after(async () => {
  await browser?.close();
  await server?.stop();
  stranger?.close();
});

// Returns what the page is told of one URL, for each way to embed it.
async function seen(page, url) {
  return page.evaluate(async (address) => {
    const told = {};
    const embed = (tag, source, more = {}) =>
      new Promise((done) => {
        const element = Object.assign(document.createElement(tag), more);
        element.onload = () => done('load');
        element.onerror = () => done('error');
        setTimeout(() => done('nothing'), 10_000);
        element[source] = address;
        document.body.append(element);
      });
    for (const [tag, source, more] of [
      ['object', 'data'],
      ['object', 'data', { type: 'text/html' }],
      ['embed', 'src'],
      ['iframe', 'src'],
      ['img', 'src'],
      ['script', 'src'],
      ['link', 'href', { rel: 'stylesheet' }],
      ['video', 'src'],
    ])
      told[`${tag} ${JSON.stringify(more ?? {})}`] = await embed(tag, source, more);
    for (const mode of ['no-cors', 'cors'])
      told[`fetch ${mode}`] = await fetch(address, { mode }).then(
        (answer) => answer.type,
        () => 'error',
      );
    return told;
  }, url);
}

for (const name of ['127.0.0.1', 'queue.test']) {
  test(`whether a queue is there shows in no way to embed it, at ${name}`, async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const base = `http://${name}:${server.port}/v1/queues/`;
    const there = await seen(page, base + 'orders');
    assert.deepEqual(await seen(page, base + 'nowhere'), there);
    assert.equal(there['fetch no-cors'], 'error');
    await page.close();
  });
}
