// Forms and addresses that are odd. What is given is sent, and what cannot be meant is said.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lose_answers, open_page, Server, serious, start_browser, type_when_drawn } from './harness.mjs';
import { kill } from './seed.mjs';

let server, browser, page, ids;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  const { api } = server;
  await api.put('/queues/orders-dlq');
  await api.put('/queues/orders', { deadLetterQueue: 'orders-dlq' });
  await api.put('/queues/plain');
  await kill(api, 'orders', [{ body: '1' }, { body: '2' }, { body: '3' }], () => ({ category: 'c', reason: 'r' }));
  ids = (await api.get('/queues/orders-dlq/dead-letters')).items.map((one) => one.id);
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const button = (name) => page.getByRole('button', { name, exact: typeof name === 'string' });
const sent = () => page.getByText(/^Sent:/).waitFor();
const peeked = async (query = '') => (await server.api.get(`/queues/plain/messages?bodies=true${query}`)).items.at(-1);

test('a body is sent as base64 or from a file, byte for byte', async () => {
  await page.to('/send?queue=plain');
  await page.getByRole('tab', { name: 'Base64' }).click();
  await page.getByLabel('Body, as base64').fill('/wAB');
  await page.getByLabel('Body, as base64').fill('/wA');
  await page.getByText('This is not base64 with padding.').waitFor();
  assert.equal(await button('Send 1 message').getAttribute('aria-disabled'), 'true');
  await page.getByLabel('Body, as base64').fill('/w AB\n');
  assert.deepEqual(await serious(page), []);
  await button('Send 1 message').click();
  await sent();
  assert.equal((await peeked()).bodyBase64, '/wAB');
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => i % 256));
  await page.getByRole('tab', { name: 'File' }).click();
  assert.equal(await button('Send 1 message').getAttribute('title'), 'No file is chosen.');
  await page.getByLabel('Body, from a file').setInputFiles({ name: 'odd.bin', mimeType: 'a/b', buffer: bytes });
  await page.getByText('odd.bin: 97.7 KiB').waitFor();
  await button('Send 1 message').click();
  await page.waitForFunction(() => document.querySelector('.note.done .mono').textContent.split(',').length === 2);
  assert.equal((await peeked()).bodyBase64, bytes.toString('base64'));
});

test('a message whose answer was lost is sent once, however often somebody tries again', async () => {
  await server.api.put('/queues/once');
  await page.to('/send?queue=once');
  const ids = await lose_answers(page, '**/queues/once/messages/batch', 2);
  for (let i = 0; i < 2; ++i) {
    await Promise.all([page.waitForEvent('requestfailed'), button('Send 1 message').click()]);
    await page.getByText('The server does not answer.').first().waitFor();
  }
  const count = async () => (await server.api.get('/queues/once')).counts.ready;
  await button('Send 1 message').click();
  await sent();
  assert.equal(await count(), 1);
  // A further press sends another message, and so does another text.
  await button('Send 1 message').click();
  await page.waitForFunction(() => document.querySelector('.note.done .mono').textContent.split(',').length === 2);
  assert.equal(await count(), 2);
  assert.deepEqual([new Set(ids.slice(0, 3)).size, new Set(ids).size], [1, 2]);
});

test('a message is not sent a second time without a question, once the server has forgotten the lost try', async () => {
  await server.api.put('/queues/forgotten');
  const other = await open_page(browser, server.base);
  await other.clock.install();
  await other.to('/send?queue=forgotten');
  const ids = await lose_answers(other, '**/queues/forgotten/messages/batch', 1);
  const press = (name) => other.getByRole('button', { name, exact: true }).click();
  const count = async () => (await server.api.get('/queues/forgotten')).counts.ready;
  await press('Send 1 message');
  const note = other.getByText('The answer of the server was lost: the message was sent at').first();
  await note.waitFor();
  await other.getByText('Another try gets the answer to the first one, and does nothing twice.').waitFor();
  await other.getByLabel('Group', { exact: true }).fill('g');
  await other.getByText('The fields now have another message than the one that was sent.').waitFor();
  await other.getByLabel('Group', { exact: true }).fill('');
  assert.deepEqual(await serious(other), []);
  await other.clock.fastForward('05:00');
  await other.getByText('That is more than five minutes ago, so the server does not know the try any more').waitFor();
  await press('Send 1 message…');
  const dialog = other.getByRole('dialog', { name: 'Send it a second time?' });
  await dialog.getByText('and may be in the queue').waitFor();
  assert.deepEqual(await serious(other), []);
  await other.keyboard.press('Escape');
  assert.deepEqual([ids.length, await count()], [1, 1]);
  await press('Send 1 message…');
  await press('Send 1 message, perhaps a second time');
  await other.getByText(/^Sent:/).waitFor();
  await note.waitFor({ state: 'detached' });
  assert.deepEqual([ids.length, new Set(ids).size, await count()], [2, 2, 2]);
  await other.context().close();
});

test('an answer of a gateway, one that is cut off and a defect of the server are lost answers', async () => {
  const problem = (code) => JSON.stringify({ status: 500, code, detail: `a defect: ${code}` });
  const answers = [
    ['a defect: internal', 500, 'application/problem+json', problem('internal')],
    ['a defect: storage_failed', 501, 'application/problem+json', problem('storage_failed')],
    ['Something between this page and the server answered 504.', 504, 'text/html', '<html><h1>Gateway Time-out</h1></html>'],
    ['The answer was cut off.', 200, 'application/json', '{"ids": ["0'],
  ];
  for (const [said, status, contentType, body] of answers) {
    const queue = `lost-${status}`;
    await server.api.put(`/queues/${queue}`);
    await page.to(`/send?queue=${queue}`);
    const ids = await lose_answers(page, `**/queues/${queue}/messages/batch`, 1, 'POST', { status, contentType, body });
    await button('Send 1 message').click();
    await page.getByText(said).first().waitFor();
    await page.getByText('The answer of the server was lost: the message was sent at').waitFor();
    assert.equal(await page.getByText('Gateway Time-out').count(), 0);
    await button('Send 1 message').click();
    await sent();
    assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
    assert.equal((await server.api.get(`/queues/${queue}`)).counts.ready, 1);
  }
});

test('who leaves a form after a lost answer and comes back is told of the try, and can make it again', async () => {
  await server.api.put('/queues/left');
  await page.to('/send?queue=left');
  const ids = await lose_answers(page, '**/queues/left/messages/batch', 1);
  const note = page.getByText('The answer of the server was lost: the message was sent at');
  await page.getByLabel('Group', { exact: true }).fill('g');
  await button('Send 1 message').click();
  await note.waitFor();
  await page.getByRole('link', { name: 'Simulate', exact: true }).click();
  await note.waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByText('The fields now have another message than the one that was sent.').waitFor();
  // The tab of the queue has the same form, also after the page was loaded again.
  await page.to('/queues/left?view=send');
  await note.waitFor();
  await page.getByLabel('Group', { exact: true }).fill('g');
  await page.getByText('Another try gets the answer to the first one, and does nothing twice.').waitFor();
  await button('Send 1 message').click();
  await sent();
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
  assert.equal((await server.api.get('/queues/left')).counts.ready, 1);
  await page.to('/send?queue=left');
  await button('Send 1 message').waitFor();
  assert.equal(await note.count(), 0);
});

test('a message is delayed until a time', async () => {
  const year = new Date().getUTCFullYear() + 1;
  await page.to('/send?queue=plain');
  await page.getByLabel('Delayed until').fill('tomorrow');
  await page.getByText('This is not a time, such as').waitFor();
  await page.getByLabel('Delayed until').fill(`${year}-03-01 09:30`);
  await page.getByLabel('Delay', { exact: true }).fill('5m');
  await page.getByText('A delay is set already: only one of the two can be used.').waitFor();
  await page.getByLabel('Delay', { exact: true }).fill('');
  await button('Send 1 message').click();
  await sent();
  const due = (await peeked('&scheduled=true'))?.due ?? (await peeked()).due;
  assert.equal(Date.parse(due), Date.parse(`${year}-03-01T09:30:00Z`));
});

test('a filter that cannot be meant says what it has to be', async () => {
  for (const view of ['', '&view=letters']) {
    await page.to(`/dead-letters/orders-dlq?status=bogus${view}`);
    await page
      .getByText('The filter has “bogus” for the status, which has to be new, investigating, fixed, replayed, abandoned.')
      .waitFor();
    assert.equal(await page.getByText('not one of its values').count(), 0);
  }
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  assert.equal(await page.getByLabel('Status', { exact: true }).inputValue(), 'bogus');
  await page.getByLabel('Status', { exact: true }).selectOption('new');
  await page.getByRole('form', { name: 'Filter' }).getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByText('for all that match: 3').waitFor();
  await page.to('/redrives/new?queue=orders-dlq&diedFrom=yesterday');
  await page.getByText('The filter has “yesterday” for the time “died from”').waitFor();
  assert.equal(await button('Dry run').getAttribute('aria-disabled'), 'true');
});

test('what is typed into a field that was just drawn stays', async () => {
  await page.to('/dead-letters/orders-dlq?category=c');
  const open = page.getByRole('button', { name: 'Filter', exact: true });
  await open.waitFor();
  await page.evaluate(type_when_drawn, ['.filters input', 'early']);
  await open.click();
  const category = page.getByLabel('Category', { exact: true });
  await category.and(page.locator(':focus')).waitFor();
  // A letter more proves that the page has drawn the form again since.
  await page.keyboard.press('End');
  await page.keyboard.type('r');
  assert.equal(await category.inputValue(), 'earlyr');
  await page.keyboard.press('Enter');
  await page.waitForURL(/category=earlyr/);
  await page.goBack();
  await page.waitForURL(/category=c$/);
  await page.waitForFunction(() => document.querySelector('.filters input').value === 'c');
});

test('what is typed into the search box while the page starts is searched for', async () => {
  const started = await open_page(browser, server.base);
  await started.addInitScript(type_when_drawn, ['#search', 'early']);
  await started.to('/');
  await started.getByRole('heading', { name: 'Overview' }).waitFor();
  await started.locator('#search').press('End');
  await started.keyboard.type('r');
  await started.keyboard.press('Enter');
  await started.waitForURL(/find\?q=earlyr$/);
  await started.context().close();
});

// Without it, the address would show all dead letters as if they were those that were asked for.
test('a filter that no dead letter has is said, and nothing is shown for it', async () => {
  await page.to('/dead-letters/orders-dlq?catgory=timeout&view=letters');
  await page.getByText('The filter has “catgory”, but dead letters cannot be filtered by that.').waitFor();
  assert.equal(await page.locator('.list-row').count(), 0);
  await page.to('/redrives/new?queue=orders-dlq&catgory=timeout');
  await page.getByText('The filter has “catgory”').waitFor();
  assert.equal(await button('Dry run').getAttribute('aria-disabled'), 'true');
});

test('a redrive of no queue asks which', async () => {
  await page.to('/redrives/new?category=c');
  await page.getByLabel('Dead letter queue', { exact: true }).selectOption('orders-dlq');
  await button('Dry run').click();
  await button('Redrive 3 dead letters…').waitFor();
});

test('who abandons says why', async () => {
  await page.to('/dead-letters/orders-dlq?view=letters');
  await button('Abandon…').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Abandon 3 dead letters' }).waitFor();
  await page.keyboard.press('Escape');
  await server.api.post('/queues/orders-dlq/dead-letters/change', {
    selection: { filter: { ids: [ids[0]] } },
    status: 'abandoned',
  });
  await button('Abandon…').first().click();
  await dialog.getByRole('button', { name: 'Abandon 2 dead letters' }).waitFor();
  await dialog.getByLabel('Why').fill('the shop is closed');
  assert.deepEqual(await serious(page), []);
  await page.keyboard.press('Enter');
  await page.getByText('Abandon: 3 dead letters.').waitFor();
  const { items } = await server.api.get('/queues/orders-dlq/dead-letters');
  assert.deepEqual(
    items.map(({ triage }) => [triage.status, triage.notes.map((one) => one.text)]),
    items.map(() => ['abandoned', ['the shop is closed']]),
  );
});

test('on a narrow phone all that can be done with a group is in sight, and it is marked as fixed', async () => {
  const phone = await open_page(browser, server.base, { width: 360, height: 740 });
  await phone.to('/dead-letters/orders-dlq');
  await phone.locator('.groups button').first().click();
  const actions = phone.getByRole('group', { name: /^For Group/ });
  await actions.waitFor();
  const right = await actions.evaluate((group) =>
    Math.max(...[...group.querySelectorAll('button')].map((one) => one.getBoundingClientRect().right)),
  );
  assert.ok(right <= 360, `${right}`);
  await actions.getByRole('button', { name: 'Fixed…' }).click();
  await phone.getByRole('button', { name: 'Mark 3 dead letters as fixed' }).click();
  await phone.getByText('Mark as fixed: 3 dead letters.').waitFor();
  const { groups } = await server.api.get('/queues/orders-dlq/dead-letters/groups?by=status');
  assert.deepEqual(groups.map((one) => one.value), ['fixed']);
  await phone.context().close();
});

test('a redrive whose answer was lost is started once', async () => {
  await page.to('/redrives/new?queue=orders-dlq&category=c');
  await page.getByLabel('To', { exact: true }).selectOption('once');
  await button('Dry run').click();
  await button('Redrive 3 dead letters…').click();
  const ids = await lose_answers(page, '**/orders-dlq/dead-letters/redrive', 1);
  const act = page.getByRole('dialog').getByRole('button', { name: 'Redrive 3 dead letters' });
  await act.click();
  await page.getByText('The server does not answer.').waitFor();
  await page.keyboard.press('Escape');
  await button('Redrive 3 dead letters…').click();
  await act.click();
  await page.waitForURL(/redrives\/\d+$/);
  await page.getByText('3 moved, 0 left in place.').waitFor();
  assert.deepEqual([ids.length, new Set(ids).size, (await server.api.get('/redrives')).tasks.length], [2, 1, 1]);
  await page.getByRole('region', { name: 'Which letters' }).getByText('category c').waitFor();
});

test('a redrive that the server has forgotten is not started a second time without a word', async () => {
  await server.api.put('/queues/late-dlq');
  await server.api.put('/queues/late', { deadLetterQueue: 'late-dlq' });
  await kill(server.api, 'late', Array(4).fill({ body: '1' }), () => ({ category: 'c', reason: 'r' }));
  const tasks = async () => (await server.api.get('/redrives')).tasks.filter((one) => one.queue === 'late-dlq').length;
  const other = await open_page(browser, server.base);
  await other.clock.install();
  await other.to('/redrives/new?queue=late-dlq');
  await other.getByLabel('At most').fill('1');
  const press = (name) => other.getByRole('button', { name, exact: true }).click();
  const ask = async () => {
    await press('Dry run');
    await press('Redrive 1 dead letter…');
  };
  await ask();
  await lose_answers(other, '**/late-dlq/dead-letters/redrive', 2);  // the dry run comes before
  const dialog = other.getByRole('dialog');
  await press('Redrive 1 dead letter');
  await dialog.getByText('The answer of the server was lost: a redrive was started at').waitFor();
  await dialog.getByText('does nothing twice').waitFor();
  await other.clock.fastForward('05:00');
  await dialog.getByText('another try may start a second redrive').waitFor();
  await dialog.getByRole('link', { name: 'All redrives' }).waitFor();
  await dialog.getByRole('button', { name: 'Redrive 1 dead letter, perhaps a second time', exact: true }).waitFor();
  await other.keyboard.press('Escape');
  assert.equal(await tasks(), 1);
  await other.unroute('**/late-dlq/dead-letters/redrive');
  // After another dry run the press is another redrive. The dialog still tells of the first one.
  await ask();
  await dialog.getByText('The form now asks for another redrive.').waitFor();
  assert.deepEqual(await serious(other), []);
  await other.keyboard.press('Escape');
  await other.context().close();
});

test('a park whose answer was lost says so, is made once, and is known to the tab', async () => {
  const { api } = server;
  await api.put('/queues/aside');
  await api.put('/queues/risky-dlq', { parkingQueue: 'aside' });
  await api.put('/queues/risky', { deadLetterQueue: 'risky-dlq' });
  await kill(api, 'risky', Array(2).fill({ body: '1' }), () => ({ category: 'c', reason: 'r' }));
  await page.to('/dead-letters/risky-dlq?view=letters');
  const ids = await lose_answers(page, '**/risky-dlq/dead-letters/redrive', 1);
  await button('Park…').first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Park 2 dead letters' }).click();
  await dialog.getByText('some or all of them may be parked').waitFor();
  await dialog.getByText('does nothing twice').waitFor();
  await dialog.getByText('0 of 2 known to be done').waitFor();
  assert.deepEqual(await serious(page), []);
  await dialog.getByRole('button', { name: 'Try again', exact: true }).click();
  await page.getByText('Park: 2 dead letters.').waitFor();
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
  const [{ task }] = (await api.get('/redrives')).tasks.filter((one) => one.queue === 'risky-dlq');
  await page.to(`/redrives/${task}`);
  await page.getByText('All that were there.').waitFor();
});

test('who purges or deletes a queue is told that it may be done, where the answer was lost', async () => {
  const { api } = server;
  await api.put('/queues/outdated');
  await api.post('/queues/outdated/messages/batch', { messages: [{ body: 'a' }] });
  await page.to('/queues/outdated?view=options');
  const dialog = page.getByRole('dialog');
  const act = async (verb) => {
    await button(`${verb}…`).click();
    await dialog.getByLabel('Type outdated').fill('outdated');
    await page.keyboard.press('Enter');
    await dialog.getByText('The answer of the server was lost, so it may have been done.').waitFor();
  };
  await lose_answers(page, '**/queues/outdated/purge', 1);
  await act('Purge');
  await dialog.getByText('Another try deletes what has come since, too.').waitFor();
  await page.keyboard.press('Escape');
  await lose_answers(page, '**/queues/outdated', 1, 'DELETE');
  await act('Delete');
  await dialog.getByRole('button', { name: 'Delete outdated' }).click();
  await page.getByText('outdated is deleted.').waitFor();
  await page.unroute('**/queues/outdated');
  // A queue that was created anew under the name is not the queue that was asked about.
  await api.put('/queues/outdated');
  await page.to('/queues/outdated?view=options');
  await button('Delete…').click();
  await dialog.getByLabel('Type outdated').fill('outdated');
  await api.call('DELETE', '/queues/outdated');
  await api.put('/queues/outdated', { maxDeliveries: 9 });
  await dialog.getByRole('button', { name: 'Delete outdated' }).click();
  await page.locator('.sayings .critical').first().waitFor();
  assert.equal((await api.get('/queues/outdated')).options.maxDeliveries, 9);
});
