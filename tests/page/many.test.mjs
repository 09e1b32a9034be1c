// Very many dead letters: the page keeps few rows and few pages of them, wherever somebody scrolls. With
// HOLDFAST_PAGE_LETTERS=1000000 it is a million.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, start_browser } from './harness.mjs';
import { flood } from './seed.mjs';

const LETTERS = Number(process.env.HOLDFAST_PAGE_LETTERS ?? 20_000);
const text = LETTERS.toLocaleString('en-US');
let server, browser, page;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  await server.api.put('/queues/bulk-dlq');
  await server.api.put('/queues/bulk', { deadLetterQueue: 'bulk-dlq' });
  await flood(server.api, 'bulk', LETTERS);
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const rows = () => page.locator('.list-row').count();

test('the groups are there', async () => {
  await page.to('/dead-letters/bulk-dlq');
  await page
    .getByText(/no answer from the warehouse/)
    .first()
    .waitFor();
});

test('however far somebody scrolls, there are few rows', async () => {
  await page.to('/dead-letters/bulk-dlq?view=letters');
  await page.getByText(`for all: ${text}`).waitFor();
  await page.locator('.list-row').first().waitFor();
  const list = page.getByRole('listbox');
  assert.equal(await page.locator('#row-0').getAttribute('aria-setsize'), String(LETTERS));
  await list.focus();
  for (let pages = 1; pages <= 20; ++pages) {
    await list.press('End');
    await page.waitForFunction(
      (known) =>
        Number(
          /^([\d,]+) of/
            .exec([...document.querySelectorAll('main p.faint')].at(-1).textContent)?.[1]
            .replaceAll(',', ''),
        ) >= known,
      200 * (pages + 1),
    );
    assert.ok((await rows()) < 80);
  }
  // What was left behind is read again.
  await list.press('Home');
  await page.locator('#row-0').getByText(text.replaceAll(',', ''), { exact: true }).waitFor();
  assert.equal(await page.locator('#row-0').count(), 1);
});

// A frame that takes long is told of, and not held against a machine that has other things to do.
test('scrolling keeps little in memory', async (told) => {
  const list = page.getByRole('listbox');
  await list.hover();
  await page.evaluate(() => {
    window.frames_of_test = [];
    let before = performance.now();
    const look = (now) => {
      window.frames_of_test.push(now - before);
      before = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  for (let i = 0; i < 150; ++i) await page.mouse.wheel(0, 400);
  const frames = (await page.evaluate(() => window.frames_of_test)).sort((a, b) => a - b);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const share = (part) => Math.round(frames[Math.min(frames.length - 1, Math.floor(frames.length * part))]);
  told.diagnostic(`frames: half under ${share(0.5)} ms, 99 of 100 under ${share(0.99)} ms, all under ${share(1)} ms`);
  told.diagnostic(`JavaScript heap: ${(usedSize / 2 ** 20).toFixed(1)} MiB`);
  assert.ok(usedSize < 64 * 2 ** 20, `${usedSize} bytes`);
});

test('the other end is one step away, and so is one of them', async () => {
  await page.getByRole('tab', { name: 'Oldest first' }).click();
  await page.locator('#row-0 .seq').getByText('1', { exact: true }).waitFor();
  await page.to(`/dead-letters/bulk-dlq?view=letters&seqs=${LETTERS / 2}`);
  await page.getByText('1 dead letter.').waitFor();
});

test('a bulk change of all is counted, watched, and done', async () => {
  await page.to('/dead-letters/bulk-dlq?view=letters');
  await page.getByRole('button', { name: 'Investigate…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: `Investigate ${text} dead letters` }).click({ timeout: 120_000 });
  await page.getByText(`Investigate: ${text} dead letters.`).waitFor({ timeout: 300_000 });
  const groups = await server.api.get('/queues/bulk-dlq/dead-letters/groups?by=status');
  assert.deepEqual(
    groups.groups.map((one) => [one.value, one.count]),
    [['investigating', LETTERS]],
  );
});

test('nothing was complained about', () => assert.deepEqual(page.complaints, []));
