// Bodies, attributes, reasons and notes try to be something else than text.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, start_browser } from './harness.mjs';
import { kill } from './seed.mjs';

const SCRIPT = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const ESCAPES = '\u001b[31mred\u001b[0m \u001b]0;title\u0007';
const BIDI = 'invoice\u202Egpj.exe \u2066hidden\u2069 zero\u200Bwidth';
const NAME = `${SCRIPT}\u202Ename`;

let server, browser, page, letters;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  const { api } = server;
  await api.put('/queues/bad-dlq');
  await api.put('/queues/bad', { deadLetterQueue: 'bad-dlq', maxBodyBytes: 32 << 20 });
  const die = async (message, rejection) => {
    await api.post('/queues/bad/messages/batch', { messages: [message] });
    const { deliveries } = await api.receive('bad', { max: 1, instance: SCRIPT, version: BIDI });
    await api.post('/deliveries/reject', { receipts: [deliveries[0].receipt], rejection });
  };
  await die(
    {
      body: JSON.stringify({ [NAME]: SCRIPT, escapes: ESCAPES, bidi: BIDI, big: 1 }).replace(
        '"big":1',
        '"big":12345678901234567890.10',
      ),
      attributes: [{ name: NAME, value: SCRIPT + BIDI }],
    },
    {
      category: SCRIPT,
      reason: `${SCRIPT} ${ESCAPES} ${BIDI}`,
      code: BIDI,
      stackTrace: `${SCRIPT}\n${ESCAPES}`,
      causes: [{ code: SCRIPT, message: ESCAPES }],
    },
  );
  await die(
    { bodyBase64: Buffer.from([0xff, 0xfe, 0x00, 0x3c, 0x73]).toString('base64') },
    { category: 'bytes', reason: 'not UTF-8' },
  );
  await die({ body: `{"text":"${'x'.repeat((16 << 20) - 11)}"}` }, { category: 'large', reason: '16 MiB' });
  await die({ body: '['.repeat(5000) + ']'.repeat(5000) }, { category: 'deep', reason: 'nested' });
  await die(
    { body: '1', attributes: [{ name: 'n'.repeat(128), value: 'v'.repeat(300) }] },
    { category: 'long', reason: 'long name' },
  );
  letters = Object.fromEntries(
    (await api.get('/queues/bad-dlq/dead-letters')).items.map((one) => [
      one.record.rejection.reason.slice(0, 9),
      one.id,
    ]),
  );
  await api.post('/queues/bad-dlq/dead-letters/change', {
    selection: { all: true, actor: SCRIPT },
    assignee: SCRIPT,
    note: SCRIPT + ESCAPES,
  });
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

// Checks that the page has no element and no invisible character from a message.
async function is_only_text() {
  await page.waitForTimeout(0);
  const found = await page.evaluate(() => ({
    elements: document.querySelectorAll('main img, main script, main [onerror]').length,
    hidden:
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.exec(document.body.innerText)
        ?.index ?? -1,
    titles: [...document.querySelectorAll('[title]')].some((one) => /[\u001b\u202e\u2066]/.test(one.title)),
  }));
  assert.deepEqual(found, { elements: 0, hidden: -1, titles: false });
}

test('in groups and lists', async () => {
  await page.to('/dead-letters/bad-dlq');
  await page.getByText('onerror').first().waitFor();
  await is_only_text();
  await page.to('/dead-letters/bad-dlq?view=letters');
  await page.getByRole('option').nth(3).waitFor();
  await is_only_text();
  await page.to('/analytics?queue=bad-dlq');
  await page.getByRole('region', { name: 'Shares' }).waitFor();
  await is_only_text();
});

test('in a letter, with marks for what is not seen', async () => {
  await page.to(`/dead-letters/bad-dlq/${letters[SCRIPT.slice(0, 9)]}`);
  await page.locator('.json').waitFor();
  await is_only_text();
  assert.ok((await page.locator('.mark', { hasText: 'U+202E' }).count()) > 2);
  assert.ok((await page.locator('.mark', { hasText: 'ESC' }).count()) > 2);
  await page.getByText('12345678901234567890.10').waitFor();
  for (const view of ['Raw', 'Hex']) {
    await page.getByRole('tab', { name: view }).click();
    await is_only_text();
  }
});

test('bytes that are no text are shown as bytes', async () => {
  await page.to(`/dead-letters/bad-dlq/${letters['not UTF-8']}`);
  await page.getByText('5 B, not UTF-8').waitFor();
  await page.getByText('ff fe 00 3c 73').waitFor();
  await is_only_text();
});

test('16 MiB are shown a little at a time', async () => {
  await page.to(`/dead-letters/bad-dlq/${letters['16 MiB']}`);
  await page.getByText('16.0 MiB').first().waitFor();
  const more = page.getByRole('button', { name: /^Show more/ });
  await more.click();
  assert.ok((await page.locator('.body-text').first().innerText()).length < 1 << 20);
  await page.getByRole('tab', { name: 'Hex' }).click();
  await page.getByText('00000000  7b 22 74').waitFor();
});

test('JSON that is nested too deeply is shown as text', async () => {
  await page.to(`/dead-letters/bad-dlq/${letters.nested}`);
  await page.getByRole('tab', { name: 'Raw', selected: true }).waitFor();
});

test('in the title of the tab', async () => {
  const other = await open_page(browser, server.base);
  await other.to(`/dead-letters/${encodeURIComponent('dlq\u202Egpj')}`);
  await other.waitForFunction(() => document.title.startsWith('dlq'));
  assert.equal(await other.title(), 'dlq‹U+202E›gpj · dead letters · Holdfast');
  await other.context().close();
});

test('a long name of an attribute does not push a letter out of a phone', async () => {
  const phone = await open_page(browser, server.base, { width: 360, height: 740 });
  await phone.to(`/dead-letters/bad-dlq/${letters['long name']}`);
  await phone.getByText('n'.repeat(128)).waitFor();
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth), 360);
  const table = phone.getByRole('region', { name: 'Attributes' });
  assert.ok(await table.evaluate((one) => one.scrollWidth <= one.clientWidth));
  await phone.context().close();
});

test('names without a break leave the other columns in sight', async () => {
  const [source, target, category] = ['s', 't', 'c'].map((letter) => letter.repeat(128));
  await server.api.put(`/queues/${target}`);
  await server.api.put(`/queues/${source}`, { deadLetterQueue: target });
  await kill(server.api, source, [{ body: '1' }], () => ({ category, reason: 'r'.repeat(1000) }));
  await server.api.post(`/queues/${target}/dead-letters/change`, { selection: { all: true }, assignee: 'a'.repeat(128) });
  await server.api.post(`/queues/${target}/dead-letters/redrive`, { filter: { category: 'none' } });
  const fits = async (of, name) => {
    const region = of.getByRole('region', { name });
    await region.locator('tbody tr').first().waitFor();
    assert.ok(await region.evaluate((one) => one.scrollWidth <= one.clientWidth), name);
  };
  await page.to(`/dead-letters/${target}`);
  await fits(page, 'Groups');
  assert.ok((await page.locator('.groups tbody tr').first().boundingBox()).height < 180);
  await page.to('/redrives');
  await fits(page, 'Redrives');
  await page.to(`/redrives/new?queue=${target}`);
  await page.getByRole('button', { name: 'Dry run' }).click();
  await fits(page, 'Sample');
  const phone = await open_page(browser, server.base, { width: 390, height: 740 });
  await phone.to(`/dead-letters/${target}?view=letters&category=${category}`);
  const label = phone.locator('.chips .faint', { hasText: 'category' });
  assert.ok((await label.boundingBox()).height < 30);
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth), 390);
  await phone.context().close();
});

test('nothing ran', () => {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(page.strangers, []);
});
