// What is typed is not lost and goes where it was meant: dialogs, the filter form, and work that is closed on its way.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open_page, Server, start_browser } from './harness.mjs';
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
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await dialog.getByText('It still works.').waitFor();
  await dialog.getByRole('button', { name: 'Stop after this part' }).click();
  go_on();
  await dialog.getByText('stopped: 8,192 of 20,000 done').waitFor();
  await page.getByText('Abandon: stopped: 8,192 of 20,000 done. The rest is as it was.').waitFor();
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/dead-letters/change');
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

test('a redrive that is begun in a dialog leads to its page, which has the focus, and Back to the link that was left', async () => {
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
