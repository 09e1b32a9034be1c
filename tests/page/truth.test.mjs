// What the page says is so, also of many, long and odd things. The page asks before it ends something for good.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { open_page, Server, serious, start_browser } from './harness.mjs';
import { kill, side_by_side } from './seed.mjs';

let server, browser, page;
const QUEUES = 60;

const letter = (body, attributes = []) => ({ body: JSON.stringify(body), attributes });
const failing = (api, queue, count, version, why) =>
  kill(
    api,
    queue,
    Array.from({ length: count }, (_, i) => letter({ n: i })),
    why,
    { instance: 'worker', version },
  );

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  const { api } = server;
  await api.put('/queues/orders-dlq', { alerts: { depth: 3, depthHigh: 5, depthCritical: 60 } });
  await api.put('/queues/orders', { deadLetterQueue: 'orders-dlq' });
  await side_by_side(QUEUES, (i) => api.put(`/queues/q${String(i).padStart(2, '0')}`));
  for (let version = 1; version <= 15; ++version)
    await failing(api, 'orders', 2, `v${version}`, ({ n }) => ({
      category: n === 0 ? 'timeout' : `c${version}`,
      reason: n === 0 ? 'no answer' : `reason ${'abcdefghijklmno'[version - 1]}`,
    }));
  await api.put('/queues/bodies-dlq');
  await api.put('/queues/bodies', { deadLetterQueue: 'bodies-dlq', discardRejected: false });
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const button = (name) => page.getByRole('button', { name, exact: typeof name === 'string' });
const dead = async (body, reason = 'odd') => {
  const { api } = server;
  await api.post('/queues/bodies/messages/batch', {
    messages: [{ body, attributes: [{ name: 'correlation-id', value: `corr-${reason}` }] }],
  });
  const { deliveries } = await api.receive('bodies', { max: 1 });
  await api.post('/deliveries/reject', { receipts: [deliveries[0].receipt], rejection: { category: 'odd', reason } });
  const { items } = await api.get(`/queues/bodies-dlq/dead-letters?reason=${reason}&max=1`);
  return items[0];
};

test('every queue of many has its rates and age', async () => {
  await server.api.post('/queues/q55/messages/batch', { messages: [{ body: 'x' }] });
  await page.to('/');
  const row = page.getByRole('row', { name: /^q55 / });
  await row.getByText(/^\d+(\.\d)? (ms|s)$/).waitFor();
  await row
    .locator('.rate')
    .first()
    .getByText(/\/(s|min)$/)
    .waitFor();
});

test('rates are the same after a reload, and what begins with the page says so', async () => {
  const messages = Array.from({ length: 30 }, () => ({ body: 'x' }));
  await server.api.post('/queues/q55/messages/batch', { messages });
  await page.to('/queues/q55');
  const sent = page.locator('.figure', { hasText: 'Sent' });
  const both = /^(0\.)?[1-9]\S*\/(s|min); (0\.)?[1-9]\S*\/(s|min) over five minutes$/;
  await sent.getByText(both).waitFor();
  await page.reload();
  await sent.getByText(both).waitFor();
  await page.getByText('The lines start when this page was opened').waitFor();
  await page.to('/');
  await page.getByText('Their lines start when this page was opened').waitFor();
});

// Returns when this hour goes on for long enough to show what has died in it.
async function early_in_an_hour() {
  while (Date.now() % 3_600_000 > 3_540_000) await page.waitForTimeout(1000);
}

test('what died just now is told at once', async () => {
  await early_in_an_hour();
  await server.api.put('/queues/sudden-dlq', { parkingQueue: 'sudden-parked' });
  await server.api.put('/queues/sudden', { deadLetterQueue: 'sudden-dlq' });
  await failing(server.api, 'sudden', 3, 'v1', () => ({ category: 'odd', reason: 'sudden' }));
  await page.to('/dead-letters/sudden-dlq');
  const came = page.locator('.figure', { hasText: 'Died this hour' }).getByText(/^3(none|\d+) came from \d\d:\d\d to \d\d:\d\d UTC/);
  await came.waitFor();
  // Letters that have left since still count as having come.
  const parked = await server.api.post('/queues/sudden-dlq/dead-letters/redrive', { action: 'park' });
  assert.equal(parked.parked, 3);
  await page.locator('.figure', { hasText: 'Dead letters' }).getByText('0', { exact: true }).waitFor();
  await came.waitFor();
});

test('what was parked in a queue is told beside what died there', async () => {
  const statistics = '**/queues/sudden-parked/dead-letters/statistics**';
  await page.route(statistics, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), at: '2026-03-01T10:00:20Z', arrivalsLastMinute: 51 } });
  });
  await page.to('/dead-letters/sudden-parked');
  const figure = page.locator('.figure', { hasText: 'Died this hour' });
  await figure.getByText('51 came from 09:59 to 10:00 UTC, including parked ones').waitFor();
  await figure.getByText(/^0/).first().waitFor();
  await page.getByText('No message has died into this queue in the last two days.').waitFor();
  await page.unroute(statistics);
});

test('letters are listed by an attribute, and one with an empty body is not called binary', async () => {
  await server.api.put('/queues/tenants-dlq');
  await server.api.put('/queues/tenants', { deadLetterQueue: 'tenants-dlq' });
  const messages = ['north', 'south'].map((value) => ({ body: '', attributes: [{ name: 'tenant', value }] }));
  await server.api.post('/queues/tenants/messages/batch', { messages });
  const { deliveries } = await server.api.post('/queues/tenants/deliveries?max=2');
  for (const { receipt } of deliveries) await server.api.post(`/deliveries/${receipt}/reject`, { reason: 'no body' });
  await page.to('/dead-letters/tenants-dlq?view=letters&attributes=tenant%3Dnorth');
  const rows = page.locator('.list-row').filter({ hasText: 'no body' });
  await rows.first().waitFor();
  assert.equal(await rows.count(), 1);
  const { items } = await server.api.get('/queues/tenants-dlq/dead-letters');
  await page.to(`/dead-letters/tenants-dlq/${items[0].id}`);
  await page.getByText('the body is empty').waitFor();
});

test('a rate ends a minute after the last message, and the page says when that was', async () => {
  await server.api.put('/queues/ceased');
  await server.api.post('/queues/ceased/messages/batch', { messages: [{ body: 'x' }] });
  const other = await open_page(browser, server.base);
  await other.clock.install();
  // The page knows the totals by its list of queues. It must have seen the first message before others come.
  const is_list = (one) => new URL(one.url()).pathname === '/v1/queues';
  const listed = other.waitForResponse(is_list);
  await other.to('/queues/ceased');
  await listed;
  const sent = other.locator('.figure', { hasText: 'Sent' });
  await sent.getByText(/\/min/).waitFor();
  await other.locator('.figure', { hasText: 'Acknowledged' }).getByText('none yet').waitFor();
  await other.getByText('Each is left out once nothing has come for that long').waitFor();
  await server.api.post('/queues/ceased/messages/batch', { messages: Array(200).fill({ body: 'x' }) });
  let is_over = false;
  const over = sent.getByText(/the last one 1 min ago; .* over five minutes$/).waitFor({ timeout: 180_000 });
  void over.then(() => (is_over = true));
  // The page's time goes on only once the page has read the totals, however slow the machine is.
  while (!is_over) {
    const read = other.waitForResponse(is_list, { timeout: 2000 }).catch(() => {});
    await other.clock.runFor(2000);
    await read;
  }
  await other.to('/');
  const rate = other.getByRole('row', { name: /^ceased / }).locator('.rate').first();
  await rate.getByText(/\/s$/).waitFor();
  await other.getByText('and 0 once a minute was empty').waitFor();
  await other.context().close();
});

test('the queues are read once, whatever of the page shows them', async () => {
  const held = [];
  const is_queues = (url) => url.pathname === '/v1/queues';
  await page.route(is_queues, (route) => void held.push(route));
  const asked = page.waitForRequest((one) => is_queues(new URL(one.url())));
  await page.to('/');
  await asked;
  // Calls that were made before are held by now.
  await page.evaluate(() => fetch('/v1').then((answer) => answer.text()));
  assert.equal(held.length, 1);
  await held[0].continue();
  await page.unroute(is_queues);
  await page.getByRole('row', { name: /^q55 / }).waitFor();
});

test('what is ready is the same in the figure and in the column', async () => {
  const { queues } = await server.api.get('/queues');
  const ready = queues.reduce((sum, one) => sum + one.counts.ready, 0);
  const figure = page.locator('.figure', { hasText: 'Ready' });
  await figure
    .locator('dd')
    .filter({ hasText: new RegExp(`^${ready}\\d+ in dead letter queues$`) })
    .waitFor();
});

test('analytics folds what is rare into others, which lead to all of it, and the table holds all', async () => {
  await page.to('/analytics?queue=orders-dlq&of=category&against=consumerVersion&span=1d');
  const table = page.locator('.cross');
  await table.waitFor();
  const sums = await table
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].map((cell) => parseInt(cell.textContent))),
    );
  assert.equal(sums.length, 13);
  for (const [all, ...parts] of sums)
    assert.equal(
      parts.reduce((a, b) => a + b, 0),
      all,
    );
  assert.equal(
    sums.reduce((sum, [all]) => sum + all, 0),
    30,
  );
  await table.getByRole('rowheader', { name: '3 others' }).waitFor();
  await table.getByRole('columnheader', { name: '9 others' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), button('CSV').first().click()]);
  const csv = readFileSync(await download.path(), 'utf8')
    .trim()
    .split('\r\n');
  assert.equal(csv.length, 1 + 15);
  assert.equal(csv[0].split(',').length, 2 + 16);
  await table.getByRole('link', { name: '3 others' }).click();
  await page.waitForURL(/all=true/);
  await table.getByRole('rowheader', { name: 'v15' }).waitFor();
  assert.equal(await table.locator('tbody tr').count(), 15);
});

test('a group says who it is assigned to only if that is so', async () => {
  await page.to('/dead-letters/orders-dlq');
  const row = page.getByRole('row', { name: /no answer/ });
  await row.getByText('nobody').waitFor();
  const { items } = await server.api.get('/queues/orders-dlq/dead-letters?category=timeout&max=1&newestFirst=true');
  await server.api.post('/queues/orders-dlq/dead-letters/change', {
    selection: { filter: { ids: [items[0].id] } },
    assignee: 'ann',
    status: 'investigating',
  });
  await row.getByText('nobody 14, ann 1').waitFor();
  await row.getByText('new 14, investigating 1').waitFor();
});

test('groups are walked and acted on with keys, wherever the focus is', async () => {
  await page.locator('body').press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  assert.equal(await focused(), 'no answer');
  await page.keyboard.press('a');
  await page.getByRole('dialog').getByText('15 dead letters', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('r');
  await page.waitForURL(/redrives\/new\?.*fingerprint=/);
  await page.goBack();
  await page.waitForFunction(() => document.activeElement?.textContent === 'no answer');
});

test('j and k work wherever the focus is, and Back leads to the letter that was left', async () => {
  await page.to('/dead-letters/orders-dlq?view=letters');
  const list = page.getByRole('listbox');
  await list.waitFor();
  await page.locator('body').press('j');
  for (let i = 0; i < 19; ++i) await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/orders-dlq\/[0-9a-f-]{36}$/);
  await page.goBack();
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-activedescendant') === 'row-20');
  await page.locator('#row-20').waitFor();
  await page.keyboard.press('k');
  assert.equal(await list.getAttribute('aria-activedescendant'), 'row-19');
});

test('Back leads to the letter that was left, wherever the list has it now, and keys mean that one', async () => {
  const die = (count) => failing(server.api, 'moved', count, 'v1', () => ({ category: 'c', reason: 'r' }));
  await server.api.put('/queues/moved-dlq');
  await server.api.put('/queues/moved', { deadLetterQueue: 'moved-dlq' });
  await die(40);
  const open_row = async (index, number) => {
    const row = page.locator(`#row-${index}`);
    await row.locator('.seq').getByText(String(number), { exact: true }).waitFor();
    await row.dblclick();
    await page.waitForURL(/moved-dlq\/[0-9a-f-]{36}$/);
  };
  const current = (index) =>
    page.waitForFunction(
      (id) => document.querySelector('.list')?.getAttribute('aria-activedescendant') === id,
      `row-${index}`,
    );
  await page.to('/dead-letters/moved-dlq?view=letters');
  await open_row(10, 30);
  await die(300);
  await page.goBack();
  await current(310);
  await page.locator('#row-310.current .seq').getByText('30', { exact: true }).waitFor();
  await page.keyboard.press('x');
  await page.getByRole('dialog').getByText('Number 30').waitFor();
  await page.keyboard.press('Escape');
  // The letter is gone. Its place is kept, and a key means the letter that is seen in the place.
  await open_row(310, 30);
  await server.api.post('/queues/moved-dlq/dead-letters/discard', { selection: { filter: { seqs: ['30'] } } });
  await page.goBack();
  await page.locator('#row-310.current .seq').getByText('29', { exact: true }).waitFor();
  const phone = await open_page(browser, server.base, { width: 360, height: 740 });
  await phone.to('/dead-letters/moved-dlq?view=letters');
  await phone.locator('#row-0 .seq').getByText('340', { exact: true }).waitFor();
  assert.deepEqual(await serious(phone), []);
  await phone.context().close();
});

test('space and enter act on the row that looks current, right after the list opens', async () => {
  await page.to('/dead-letters/orders-dlq?view=letters');
  await page.locator('.list-row.current').waitFor();
  await page.keyboard.press(' ');
  await page.locator('.list-row.current .box.on').waitFor();
  await page.to('/dead-letters/orders-dlq?view=letters');
  await page.locator('.list-row.current').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/orders-dlq\/[0-9a-f-]{36}$/);
  await page.to('/dead-letters/orders-dlq?view=letters');
  await page.locator('.list-row.current').waitFor();
});

test('the depth of a dead letter queue stands against where it calls for people', async () => {
  const meter = page.getByRole('meter', { name: 'Depth' });
  assert.equal(await meter.getAttribute('aria-valuetext'), '30 dead letters: warning above 3, high above 5, critical above 60');
});

test('a dead letter is found in all queues by what is known of it', async () => {
  const odd = await dead('{"findme":1}', 'lost-parcel');
  await page.to('/');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('/');
  await page.locator('#search:focus').waitFor();
  await page.keyboard.type('corr-lost-parcel');
  await page.keyboard.press('Enter');
  const found = page.getByRole('region', { name: 'Found with this correlation id' });
  await found.getByRole('link', { name: `bodies-dlq ${odd.seq}` }).waitFor();
  assert.deepEqual(await serious(page), []);
  await page.getByLabel('Find dead letters of all queues').fill(odd.record.messageId);
  await page.keyboard.press('Enter');
  await page
    .getByRole('region', { name: 'Found with this id' })
    .getByRole('link', { name: /^bodies-dlq/ })
    .click();
  await page.waitForURL(new RegExp(odd.id));
});

test('an edit that changes only how JSON is written is shown', async () => {
  const odd = await dead('{"name":"\\u0041nn"}', 'escaped');
  await page.to(`/dead-letters/bodies-dlq/${odd.id}`);
  await button(/^Edit and redrive/).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Body', { exact: true }).fill('{"name":"Ann"}');
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await dialog.getByText('{"name":"\\u0041nn"}').waitFor();
  await dialog.getByText('The JSON is the same').waitFor();
  await page.keyboard.press('Escape');
});

test('an edit keeps the ends of lines that it does not touch', async () => {
  const odd = await dead('first\r\nsecond\r\n', 'crlf');
  await page.to(`/dead-letters/bodies-dlq/${odd.id}`);
  await button(/^Edit and redrive/).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('CR LF').waitFor();
  await dialog.getByLabel('Body', { exact: true }).fill('first\nchanged\n');
  await dialog.getByRole('button', { name: 'Compare' }).click();
  await dialog.getByRole('button', { name: /^Redrive 1 dead letter/ }).click();
  await page.waitForURL(/redrives\/\d+$/);
  const { deliveries } = await server.api.receive('bodies', { max: 1 });
  assert.equal(deliveries[0].body, 'first\r\nchanged\r\n');
  await server.api.post('/deliveries/ack', { receipts: [deliveries[0].receipt] });
});

test('a redrive tells of its own letters alone, also when its canary fails and the clock of the browser is behind', async () => {
  const { api } = server;
  await api.put('/queues/canary-dlq');
  await api.put('/queues/canary', { deadLetterQueue: 'canary-dlq' });
  await failing(api, 'canary', 6, 'v1', ({ n }) => ({ category: n < 2 ? 'first' : 'second', reason: 'broken' }));
  const settle = async (verb) => {
    const { deliveries } = await api.receive('canary', { max: 1, wait: '10s' });
    await api.post(`/deliveries/${verb}`, { receipts: [deliveries[0].receipt] });
  };
  const start = (options) => api.post('/queues/canary-dlq/dead-letters/redrive', { ...options, wait: false });
  const first = await start({ filter: { category: 'first' } });
  const second = await start({ filter: { category: 'second' }, canary: 2 });
  for (const verb of ['ack', 'ack', 'ack', 'reject']) await settle(verb);
  await page.addInitScript(() => {
    const now = Date.now;
    Date.now = () => now() - 3_600_000;
  });
  const figure = (label, value) =>
    page
      .locator('.figure', { hasText: label })
      .locator('dd')
      .filter({ hasText: new RegExp(`^${value}`) })
      .waitFor();
  await page.to(`/redrives/${second.task}`);
  await page.getByText('canary failed', { exact: true }).waitFor();
  const became = page.getByRole('region', { name: 'What became of the moved letters' });
  const counted = async (label) => became.locator('.figure', { hasText: label }).locator('dd').first().innerText();
  assert.deepEqual(
    [await counted('Acknowledged'), parseInt(await counted('Dead again')), await counted('Not known yet')],
    ['1', 1, '0'],
  );
  await page.getByText('up to 2 stay: too few canaries succeeded').waitFor();
  await page.getByText(/It took \d+(\.\d+)? (ms|s)\./).waitFor();
  await page.to('/redrives');
  const row = page.getByRole('row', { name: new RegExp(`^${second.task} `) });
  await row.waitFor();
  const cells = (await row.getByRole('cell').allInnerTexts()).slice(4, 9);
  assert.deepEqual(cells, ['2', '0', '0', '1', '1']);
  await page.to(`/redrives/${first.task}`);
  await figure('Acknowledged', 2);
  await figure('Dead again, here', 0);
});

test('a rate or canary of 0 is refused, and the sample says where letters go', async () => {
  await page.to('/redrives/new?queue=orders-dlq&category=timeout');
  for (const field of ['Rate', 'Canary']) {
    await page.getByLabel(field, { exact: true }).fill('0');
    await page.getByText('At least 1; empty for none.').waitFor();
    assert.equal(await button('Dry run').getAttribute('aria-disabled'), 'true');
    await page.getByLabel(field, { exact: true }).fill('');
  }
  await page.getByLabel('To', { exact: true }).selectOption('q07');
  await button('Dry run').click();
  await page.getByRole('region', { name: 'Sample' }).getByText('to q07').first().waitFor();
});

test('waits of less than a second are not rounded away', async () => {
  await page.to('/simulate?kind=fixed&base=250ms&maxDeliveries=4');
  await page.getByRole('table', { name: 'Deliveries' }).getByText('250 ms').waitFor();
  await page.getByRole('table', { name: 'Deliveries' }).getByText('750 ms').waitFor();
});

test('alerts, tags and who may dead-letter are set where all options are', async () => {
  await page.to('/queues/orders-dlq?view=options');
  await page.getByLabel('Many dead letters above', { exact: true }).fill('7');
  await page.getByLabel('Many dead letters: fires after', { exact: true }).fill('5m');
  await page.getByLabel('Age of the oldest above').fill('');
  const add = async (label, ...values) => {
    await button(`Add to ${label}`).click();
    for (const value of values) {
      await page.keyboard.type(value);
      await page.keyboard.press('Tab');
    }
  };
  await add('Tags', 'team', 'payments');
  await add('Tags', 'tier', '1');
  await add('Searched attributes', 'customer');
  await add('Searched attributes', 'tenant');
  await page.getByLabel('Keep unresolved').fill('90d');
  await page.getByLabel('Who may dead-letter here').selectOption('listed');
  await add('Listed queues', 'orders');
  await page.getByLabel('Accept sends').check();
  await button(/^Change \d options$/).click();
  await page.getByText('orders-dlq is changed.').waitFor();
  const { options } = await server.api.get('/queues/orders-dlq');
  assert.deepEqual(
    [options.alerts.depthHigh, options.alerts.depthHighTerms.fireAfter, options.alerts.oldest ?? null],
    [7, 300, null],
  );
  assert.equal(options.alerts.depthCritical, 60);
  assert.deepEqual(options.tags, [
    { name: 'team', value: 'payments' },
    { name: 'tier', value: '1' },
  ]);
  assert.deepEqual(options.searchedAttributes, ['customer', 'tenant']);
  assert.deepEqual([options.keepUnresolved, options.directSends], [7776000, true]);
  assert.deepEqual(options.deadLetterSources, { allow: 'listed', queues: ['orders'] });
});

test('a queue is purged and deleted only by who types its name', async () => {
  await server.api.put('/queues/outdated');
  await server.api.post('/queues/outdated/messages/batch', { messages: [{ body: 'a' }, { body: 'b' }] });
  await page.to('/queues/outdated?view=options');
  await button('Purge…').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('2 messages').waitFor();
  const act = dialog.getByRole('button', { name: 'Purge outdated' });
  assert.equal(await act.getAttribute('aria-disabled'), 'true');
  await dialog.getByLabel('Type outdated').fill('outdated');
  assert.deepEqual(await serious(page), []);
  await act.click();
  await page.getByText('outdated: 2 messages are gone.').waitFor();
  await button('Delete…').click();
  await dialog.getByLabel('Type outdated').fill('outdate');
  await page.keyboard.press('Enter');
  assert.equal((await server.api.get('/queues/outdated')).counts.ready, 0);
  await dialog.getByLabel('Type outdated').fill('outdated');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await assert.rejects(server.api.get('/queues/outdated'), /404/);
});

test('each message of a queue with priorities is shown once, wherever its pages end', async () => {
  const { api } = server;
  await api.put('/queues/urgent', { priorities: 8 });
  for (let i = 0; i < 120; ++i)
    await api.post('/queues/urgent/messages/batch', { messages: [{ body: `${i}`, priority: 5 }] });
  await page.to('/queues/urgent?view=peek');
  const rows = page.getByRole('region', { name: 'Messages' }).locator('tbody tr');
  const places = [];
  const bodies = [];
  for (const [first, count] of [
    [0, 50],
    [50, 50],
    [100, 20],
  ]) {
    if (first > 0) await button('Next').click();
    await rows.first().locator('.preview').getByText(`${first}`, { exact: true }).waitFor();
    assert.equal(await rows.count(), count);
    places.push(...(await rows.locator('td:first-child').allInnerTexts()));
    bodies.push(...(await rows.locator('.preview').allInnerTexts()));
  }
  assert.equal(new Set(places).size, 120);
  assert.deepEqual(bodies, Array.from({ length: 120 }, (_, i) => `${i}`));
});

test('a queue that is not there is asked for rarely, and found when it is made anew', async () => {
  const other = await open_page(browser, server.base);
  await other.clock.install();
  let asked = 0;
  other.on('request', (one) => (asked += Number(new URL(one.url()).pathname === '/v1/queues/none')));
  await other.to('/queues/none');
  await other.getByText("no queue named 'none'").first().waitFor();
  const before = asked;
  for (let i = 0; i < 5; ++i) {
    await other.clock.runFor(6000);
    await other.evaluate(() => fetch('/v1').then((answer) => answer.text()));
  }
  assert.ok(asked <= before + 1, `asked ${asked - before} times in half a minute`);
  await server.api.put('/queues/none');
  await other.clock.runFor(60_000);
  await other.getByRole('heading', { name: 'none', exact: true }).waitFor();
  await other.locator('.figure').first().waitFor();
  await other.context().close();
});

test('nothing was complained about', () => {
  assert.deepEqual(
    page.complaints.filter((one) => !one.includes('404')),
    [],
  );
});
