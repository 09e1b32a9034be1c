// What is typed into dialogs and the filter form is not lost, and goes where it was meant. Work that is closed on its
// way is kept too.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { lose_answers, open_page, Server, start_browser } from './harness.mjs';
import { kill } from './seed.mjs';

let server, browser, page, ids;
const QUEUE = '/queues/orders-dlq';

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  await server.api.put(QUEUE);
  await server.api.put('/queues/orders', { deadLetterQueue: 'orders-dlq' });
  const bodies = [1, 2, 3].map((order) => ({ body: JSON.stringify({ order }) }));
  await kill(server.api, 'orders', bodies, ({ order }) => ({ category: ['', 'timeout', 'spam'][order - 1], reason: 'r' }));
  ids = (await server.api.get(QUEUE + '/dead-letters')).items.map((one) => one.id);
  page = await open_page(browser, server.base);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const focused = () => page.evaluate(() => document.activeElement?.tagName);

test('a dialog has the focus in its main field, and keys in it are text', async () => {
  await page.to(`/dead-letters/orders-dlq/${ids[0]}`);
  for (const [key, field] of [
    ['a', 'INPUT'],
    ['n', 'TEXTAREA'],
    ['e', 'TEXTAREA'],
    ['x', 'INPUT'],
  ]) {
    await page.getByRole('button', { name: 'Note…' }).waitFor();
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    assert.equal(await focused(), field, key);
    assert.notEqual(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Close', key);
    if (field === 'TEXTAREA') {
      await page.keyboard.type('a note r x ?');
      assert.equal(await page.getByRole('dialog').count(), 1);
      assert.match(await page.evaluate(() => document.activeElement.value), /a note r x \?/);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
});

test('a filter form that is left alone selects what it did', async () => {
  const address = '/dead-letters/orders-dlq?view=letters&category=&assignee=';
  await page.to(address);
  await page.getByText('for all that match: 1').waitFor();
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('form', { name: 'Filter' }).getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByText('for all that match: 1').waitFor();
  const query = new URL(page.url()).searchParams;
  assert.deepEqual([query.get('category'), query.get('assignee'), query.get('code')], ['', '', null]);
});

test('closing a dialog that works asks, and says what was done when it is stopped', async () => {
  let go_on;
  await page.route('**/dead-letters/change', async (route) => {
    const { selection } = route.request().postDataJSON();
    if (selection.dryRun) return route.fulfill({ json: { changed: 20000, refused: 0, unchanged: 0 } });
    if (selection.from) await new Promise((done) => (go_on = done));
    await route.fulfill({ json: { changed: 4096, refused: 0, unchanged: 0, next: 'more' } });
  });
  await page.to('/dead-letters/orders-dlq?view=letters');
  await page.getByRole('button', { name: 'Abandon…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Abandon 20,000 dead letters' }).click();
  await dialog.getByText('4,096 of 20,000').waitFor();
  while (!go_on) await page.waitForTimeout(10);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.getByText('It is still running.').waitFor();
  await dialog.getByRole('button', { name: 'Stop after this part' }).click();
  go_on();
  await dialog.getByText('stopped: 8,192 of 20,000 done').waitFor();
  await page.getByText('Abandon: stopped: 8,192 of 20,000 done. The rest is as it was.').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/dead-letters/change');
});

test('what was stopped and failed can be stopped again when it is tried again', async () => {
  const parts = [];
  await page.route('**/dead-letters/change', async (route) => {
    const { selection } = route.request().postDataJSON();
    if (selection.dryRun) return route.fulfill({ json: { changed: 20000, refused: 0, unchanged: 0 } });
    const part = new Promise((done) => parts.push(done));
    if ((await part) === 'fail') return route.abort();
    await route.fulfill({ json: { changed: 4096, refused: 0, unchanged: 0, next: 'more' } });
  });
  const part = async (number, how) => {
    while (parts.length < number) await page.waitForTimeout(10);
    parts[number - 1](how);
  };
  await page.to('/dead-letters/orders-dlq?view=letters');
  await page.getByRole('button', { name: 'Abandon…' }).click();
  const dialog = page.getByRole('dialog');
  const stop = () => dialog.getByRole('button', { name: 'Stop after this part' }).click();
  await dialog.getByRole('button', { name: 'Abandon 20,000 dead letters' }).click();
  await part(1, 'well');
  await dialog.getByText('4,096 of 20,000').waitFor();
  await stop();
  await part(2, 'fail');
  await dialog.getByRole('button', { name: 'Try again, with what is left' }).click();
  await stop();
  await part(3, 'well');
  await dialog.getByText('stopped: 8,192 of 20,000 done').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/dead-letters/change');
  page.complaints = page.complaints.filter((one) => !one.includes('ERR_FAILED'));
});

test('a note that the server could not take is tried again with what is left', async () => {
  const noted = [];
  let fails = 0;
  await page.route('**/dead-letters/change', async (route) => {
    const { selection, note } = route.request().postDataJSON();
    if (selection.dryRun && fails++ === 0) return route.abort();
    if (selection.dryRun) return route.fulfill({ json: { changed: 3, refused: 0, unchanged: 0 } });
    noted.push([note, selection.from ?? '']);
    if (noted.length === 2) return route.abort();
    await route.fulfill({ json: { changed: 1, refused: 0, unchanged: 0, ...(noted.length < 4 ? { next: `part ${noted.length}` } : {}) } });
  });
  await page.to('/dead-letters/orders-dlq?view=letters');
  await page.locator('.list-row').first().waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('The server does not answer.').waitFor();
  await dialog.getByLabel('Note').fill('wait for the warehouse');
  await dialog.getByRole('button', { name: 'Count again' }).click();
  await dialog.getByRole('button', { name: 'Add a note to 3 dead letters' }).click();
  await dialog.getByText('1 of 3').waitFor();
  await dialog.getByText('The server does not answer.').waitFor();
  assert.equal(await dialog.getByLabel('Note').inputValue(), 'wait for the warehouse');
  await dialog.getByText('have the note twice').waitFor();
  await dialog.getByRole('button', { name: 'Try again, with what is left' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Add a note: 3 dead letters.').waitFor();
  const text = 'wait for the warehouse';
  assert.deepEqual(noted, [[text, ''], [text, 'part 1'], [text, 'part 1'], [text, 'part 3']]);
  await page.unroute('**/dead-letters/change');
});

test('a redrive that is started in a dialog leads to its page, which has the focus, and Back to the link that was left', async () => {
  await page.to('/redrives/new?queue=orders-dlq&category=timeout');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByRole('button', { name: 'Redrive 1 dead letter…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Redrive 1 dead letter' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/redrives\/\d+$/);
  await page.getByText('1 moved, 0 left in place.').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await page.getByRole('link', { name: 'redrives', exact: true }).click();
  await page.getByRole('heading', { name: 'Redrives' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
  await page.goBack();
  await page.waitForFunction(() => document.activeElement?.textContent === 'redrives');
});

const has_focus = (text) => page.waitForFunction((wanted) => document.activeElement?.textContent === wanted, text);

async function open_groups() {
  const { api } = server;
  await api.put('/queues/parked');
  await api.put('/queues/focus-dlq', { parkingQueue: 'parked' });
  await api.put('/queues/focus', { deadLetterQueue: 'focus-dlq' });
  const bodies = [1, 2, 3, 4].map((order) => ({ body: JSON.stringify({ order }) }));
  const reasons = ['first', 'first', 'second', 'third'];
  await kill(api, 'focus', bodies, ({ order }) => ({ category: 'c', reason: reasons[order - 1] }));
  await page.to('/dead-letters/focus-dlq');
  await page.getByRole('button', { name: 'first', exact: true }).waitFor();
}

test('after a group is discarded, the focus is on the next one, and after the last on the heading', async () => {
  await open_groups();
  const rest = await page.locator('[data-group]').allInnerTexts();
  assert.equal(rest.length, 3);
  while (rest.length > 0) {
    await page.getByRole('button', { name: rest.shift(), exact: true }).click();
    await page.getByRole('group', { name: /^For Group/ }).getByRole('button', { name: 'Discard…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: /^Discard \d/ }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await has_focus(rest[0] ?? 'Failures that look alike');
  }
});

test('after a letter is parked, the focus is on the heading of its page', async () => {
  await open_groups();
  const letter = (await server.api.get('/queues/focus-dlq/dead-letters')).items[0];
  await page.to(`/dead-letters/focus-dlq/${letter.id}`);
  await page.getByRole('button', { name: 'Park…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Park 1 dead letter' }).click();
  await page.getByText('There is no such dead letter').waitFor();
  await has_focus('Dead letter');
});

test('the key of the filters leads into them, and their button keeps the focus', async () => {
  await page.to('/dead-letters/focus-dlq?view=letters');
  await page.getByRole('listbox').waitFor();
  await page.keyboard.press('f');
  await page.waitForFunction(() => document.activeElement?.labels?.[0]?.textContent === 'Category');
  await page.getByRole('button', { name: 'Hide filters' }).click();
  await page.waitForFunction(() => document.activeElement?.textContent.startsWith('Filter'));
});

test('a key that opens a dialog leaves the focus on its button', async () => {
  const [letter] = (await server.api.get('/queues/focus-dlq/dead-letters')).items;
  await page.to(`/dead-letters/focus-dlq/${letter.id}`);
  await page.getByRole('button', { name: 'Note…' }).waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Note').fill('seen');
  await dialog.getByRole('button', { name: 'Add a note to 1 dead letter' }).waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByText('Add a note: 1 dead letter.').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent.startsWith('Note…'));
  assert.equal((await server.api.get('/queues/focus-dlq/dead-letters')).items[0].triage.notes[0].text, 'seen');
});

test('a key that submits before the letters are counted says why it cannot', async () => {
  let go_on;
  const may_count = new Promise((done) => (go_on = done));
  await page.route('**/dead-letters/change', async (route) => {
    await may_count;
    await route.continue();
  });
  const [letter] = (await server.api.get('/queues/focus-dlq/dead-letters')).items;
  await page.to(`/dead-letters/focus-dlq/${letter.id}`);
  await page.getByRole('button', { name: 'Note…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Note').fill('too early');
  await page.keyboard.press('Control+Enter');
  await page.getByText('The dead letters are still being counted.').waitFor();
  go_on();
  await dialog.getByRole('button', { name: 'Add a note to 1 dead letter' }).waitFor();
  await page.keyboard.press('Escape');
  await page.unroute('**/dead-letters/change');
});

test('a discard whose answer was lost says that its letters have gone', async () => {
  const [letter] = (await server.api.get('/queues/focus-dlq/dead-letters')).items;
  await page.to(`/dead-letters/focus-dlq/${letter.id}`);
  await lose_answers(page, '**/dead-letters/discard', 1);
  await page.getByRole('button', { name: 'Discard…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Discard 1 dead letter' }).click();
  await dialog.getByText('The server does not answer.').waitFor();
  await dialog.getByRole('button', { name: 'Try again, with what is left' }).click();
  await page.getByText('1 had gone already, by the try whose answer was lost or by others.').waitFor();
});

test('after a redrive is cancelled, the focus is on the heading of its page', async () => {
  const { task } = await server.api.post('/queues/focus-dlq/dead-letters/redrive', { rate: 1, canary: 1, wait: false });
  await page.to(`/redrives/${task}`);
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the redrive' }).click();
  await page.getByRole('button', { name: 'Cancel…' }).waitFor({ state: 'detached' });
  await has_focus(`Redrive ${task}`);
});
