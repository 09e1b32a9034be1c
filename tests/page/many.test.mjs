// With very many dead letters, the page keeps few rows and few pages of them, wherever somebody scrolls. With
// HOLDFAST_PAGE_LETTERS=1000000 there are a million.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, start_browser } from './harness.mjs';
import { flood } from './seed.mjs';

const LETTERS = Number(process.env.HOLDFAST_PAGE_LETTERS ?? 20_000);
const HUGE = 150_000;
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

// The newest letter is first, and numbers are given in the order of deaths.
const row_is_there = (of, letters, at) =>
  of.locator(`#row-${at} .seq`).getByText(String(letters - at), { exact: true }).waitFor();

// Returns which rows can be seen.
const rows_seen = (of) =>
  of.evaluate(() => {
    const list = document.querySelector('.list').getBoundingClientRect();
    const is_seen = (one) => one.top < list.bottom && one.bottom > list.top + 30;
    const all = [...document.querySelectorAll('.list-row')].filter((one) => is_seen(one.getBoundingClientRect()));
    return all.map((one) => Number(one.id.slice('row-'.length)));
  });

async function scrolled_to(of, part) {
  await of.evaluate((share) => {
    const list = document.querySelector('.list');
    list.scrollTop = (list.scrollHeight - list.clientHeight) * share;
  }, part);
  await of.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return rows_seen(of);
}

test('the scroll bar has the length of the whole list, and its end and its middle are a few calls away', async () => {
  await page.to('/dead-letters/bulk-dlq?view=letters');
  await page.getByText(`for all: ${text}`).waitFor();
  await page.locator('.list-row').first().waitFor();
  const list = page.getByRole('listbox');
  assert.equal(await page.locator('#row-0').getAttribute('aria-setsize'), String(LETTERS));
  if (LETTERS < 200_000) assert.ok((await list.evaluate((one) => one.scrollHeight)) >= LETTERS * 30);
  let calls = 0;
  page.on('request', (request) => (calls += new URL(request.url()).pathname.endsWith('/dead-letters') ? 1 : 0));
  await list.focus();
  await list.press('End');
  await row_is_there(page, LETTERS, LETTERS - 1);
  assert.ok(calls < 10, `${calls} calls`);
  assert.ok((await rows()) < 80);
  await page.getByText(`${text} dead letters.`, { exact: true }).waitFor();
  const middle = (await scrolled_to(page, 0.5)).at(3);
  assert.ok(Math.abs(middle - LETTERS / 2) < LETTERS / 20, `${middle}`);
  await row_is_there(page, LETTERS, middle);
  assert.ok(calls < 30, `${calls} calls`);
  // The list scrolls on in both directions, past the pages that were read at once. In a longer list, its bar goes
  // farther.
  let at = middle;
  for (const step of LETTERS < 200_000 ? [-400, 400, 800] : []) {
    await list.evaluate((one, rows) => (one.scrollTop += rows * 30), step);
    await row_is_there(page, LETTERS, (at += step));
  }
  assert.ok((await rows()) < 80);
  // The page reads again what was left behind.
  await list.press('Home');
  await row_is_there(page, LETTERS, 0);
  await page.getByRole('tab', { name: 'Oldest first' }).click();
  await page.locator('#row-0 .seq').getByText('1', { exact: true }).waitFor();
  await list.focus();
  await list.press('End');
  await page.locator(`#row-${LETTERS - 1} .seq`).getByText(String(LETTERS), { exact: true }).waitFor();
  const late = (await scrolled_to(page, 0.7)).at(3);
  await page.locator(`#row-${late} .seq`).getByText(String(late + 1), { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Newest first' }).click();
  await row_is_there(page, LETTERS, 0);
});

test('a list of which no browser draws all the height leads to each of its rows', async () => {
  await server.api.put('/queues/huge-dlq');
  await server.api.put('/queues/huge', { deadLetterQueue: 'huge-dlq' });
  await flood(server.api, 'huge', HUGE);
  const phone = await open_page(browser, server.base, { width: 360, height: 740 });
  await phone.to('/dead-letters/huge-dlq?view=letters');
  const list = phone.getByRole('listbox');
  await phone.locator(`#row-0[aria-setsize="${HUGE}"]`).waitFor();
  assert.ok((await list.evaluate((one) => one.scrollHeight)) < HUGE * 56);
  await list.focus();
  await list.press('End');
  const end = phone.locator(`#row-${HUGE - 1}`);
  await end.getByText('no answer').waitFor();
  assert.ok((await rows_seen(phone)).includes(HUGE - 1));
  for (const share of [0, 1]) assert.ok((await scrolled_to(phone, share)).includes(share * (HUGE - 1)));
  // Scrolling a short way goes as far as in a shorter list.
  const [before] = await scrolled_to(phone, 0.5);
  assert.ok(Math.abs(before - HUGE / 2) < HUGE / 100, `${before}`);
  await list.evaluate((one) => (one.scrollTop += 10 * 56));
  await phone.waitForFunction((at) => !document.getElementById(`row-${at}`), before - 11);
  assert.equal((await rows_seen(phone))[0], before + 10);
  await list.press('Home');
  assert.ok((await rows_seen(phone)).includes(0));
  assert.deepEqual(phone.complaints, []);
  await phone.context().close();
});

// The test reports a frame that takes long, and does not fail, since the machine may have other things to do.
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
  for (let i = 0; i < 60; ++i) await page.mouse.wheel(0, 1000);
  const frames = (await page.evaluate(() => window.frames_of_test)).sort((a, b) => a - b);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const share = (part) => Math.round(frames[Math.min(frames.length - 1, Math.floor(frames.length * part))]);
  told.diagnostic(`frames: half under ${share(0.5)} ms, 99 of 100 under ${share(0.99)} ms, all under ${share(1)} ms`);
  told.diagnostic(`JavaScript heap: ${(usedSize / 2 ** 20).toFixed(1)} MiB`);
  assert.ok(usedSize < 64 * 2 ** 20, `${usedSize} bytes`);
});

test('one of them is one step away', async () => {
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
