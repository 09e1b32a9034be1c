// Opens every page, in both themes and on a phone. axe finds nothing serious, nothing scrolls sideways, the console is
// silent, and the keyboard reaches what the pointer does. With HOLDFAST_SCREENSHOTS=DIR the tests leave pictures there.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ALL_RULES, open_page, Server, serious, start_browser } from './harness.mjs';
import { kill, seed } from './seed.mjs';

const PICTURES = process.env.HOLDFAST_SCREENSHOTS;
const SIZES = [
  { width: 1280, themes: ['light', 'dark'] },
  { width: 360, height: 780, themes: ['light'] },
];
let server, browser;
const pages = {};

before(async () => {
  [server, browser] = await Promise.all([Server.start(), start_browser()]);
  await seed(server.api);
  const { items } = await server.api.get('/queues/orders-dlq/dead-letters?category=timeout&max=1');
  const { task } = await server.api.post('/queues/orders-dlq/dead-letters/redrive', { filter: { category: 'payment' }, canary: 3, wait: false });
  Object.assign(pages, {
    overview: ['/', '.queue-table tbody tr'],
    queue: ['/dead-letters/orders-dlq', '.groups'],
    letters: ['/dead-letters/orders-dlq?view=letters', '.list-row'],
    letter: [`/dead-letters/orders-dlq/${items[0].id}`, '.json'],
    new_redrive: ['/redrives/new?queue=orders-dlq&category=timeout', 'form'],
    redrive: [`/redrives/${task}`, 'progress'],
    redrives: ['/redrives', 'progress'],
    rates: ['/queues/orders', '.u-wrap'],
    peek: ['/queues/orders?view=peek', '.preview'],
    options: ['/queues/orders?view=options', 'fieldset'],
    new_queue: ['/queues', 'fieldset'],
    send: ['/send?queue=orders', 'textarea'],
    analytics: ['/analytics?queue=orders-dlq&span=1d', '.cross'],
    find: ['/find?q=corr-7', '.rows'],
    simulate: ['/simulate?maxDeliveries=6&jitter=0.3', '.u-wrap'],
    nothing: ['/queues/none/such', 'text=There is no such page.'],
    no_queue: ['/queues/none', '.critical'],
  });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const has_theme = (page, theme) =>
  page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);

for (const { themes, ...size } of SIZES) {
  test(`${themes.join(' and ')}, ${size.width} wide`, async () => {
    const page = await open_page(browser, server.base, size);
    for (const [name, [path, sign]] of Object.entries(pages)) {
      await page.to(path);
      await page.locator(sign).first().waitFor();
      for (const theme of themes) {
        await page.emulateMedia({ colorScheme: theme });
        await has_theme(page, theme);
        // In the second theme, only the colors of the page differ.
        const rules = theme === themes[0] ? ALL_RULES : ['color-contrast'];
        assert.deepEqual(await serious(page, rules), [], `${name}, ${theme}: ${path}`);
        assert.ok(
          await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
          `${name} scrolls sideways`,
        );
        if (PICTURES) await page.screenshot({ path: join(PICTURES, `${name}-${theme}-${size.width}.png`) });
      }
      await page.emulateMedia({ colorScheme: themes[0] });
    }
    // The browser itself writes a line for a queue that is not there, which is an error of the API.
    assert.deepEqual(
      page.complaints.filter((one) => !one.includes('404')),
      [],
    );
    assert.deepEqual(page.strangers, []);
    await page.context().close();
  });
}

test('a phone shows the columns of the overview that matter, without a table that scrolls sideways', async () => {
  const page = await open_page(browser, server.base, { width: 360, height: 780 });
  await page.to('/');
  const table = page.locator('.scroll', { has: page.locator('.queue-table') });
  await table.getByRole('link', { name: 'orders-dlq' }).waitFor();
  const heads = await table.getByRole('columnheader').allInnerTexts();
  assert.deepEqual(heads.map((one) => one.replace(/ ▾$/, '')), ['Queue', 'Ready', 'Dead', 'Oldest ready', 'State']);
  assert.ok(await table.evaluate((one) => one.scrollWidth <= one.clientWidth));
  await page.context().close();
});

// As long as a name may be, and as 53 characters, which are more than a narrow page has in a line.
const NAMES = [`${'x'.repeat(60)}.${'a_long_name_'.repeat(5)}-dlq`.padEnd(128, 'x'), 'warehouse-reservations-of-the-north-european-region-1'];

test('a long name of a queue can be read whole on each page, 320 wide', async () => {
  const { api } = server;
  for (const name of NAMES) await api.put(`/queues/${name}`, { alerts: { depth: 0 } });
  const [dlq, source] = NAMES;
  await api.patch(`/queues/${source}`, { deadLetterQueue: dlq });
  await kill(api, source, [{ body: '{}' }], () => ({ category: 'long', reason: 'names' }));
  const { items } = await api.get(`/queues/${dlq}/dead-letters`);
  const { task } = await api.post(`/queues/${dlq}/dead-letters/redrive`, { filter: { ids: [items[0].id] }, canary: 1, wait: false });
  // The redrive takes the letter at some time, and the letter dies again.
  const { deliveries } = await api.receive(source, { max: 1, wait: '10s' });
  await api.post('/deliveries/reject', { receipts: [deliveries[0].receipt], rejection: { category: 'long', reason: 'names' } });
  await api.post(`/queues/${source}/messages/batch`, { messages: [{ body: '{}' }] });
  const page = await open_page(browser, server.base, { width: 320, height: 640 });
  for (const [path, sign] of [
    ['/', '.queue-table tbody tr'],
    [`/dead-letters/${dlq}`, 'h1'],
    [`/dead-letters/${dlq}/${items[0].id}`, '.json'],
    [`/queues/${source}`, '.figures'],
    [`/queues/${source}?view=options`, 'fieldset'],
    [`/redrives/new?queue=${dlq}`, 'form'],
    [`/redrives/${task}`, 'progress'],
    ['/redrives', 'progress'],
    [`/analytics?queue=${dlq}&span=1d`, 'select'],
    [`/find?q=${items[0].record.messageId}`, '.rows'],
    [`/send?queue=${dlq}`, 'textarea'],
  ]) {
    await page.to(path);
    await page.locator(sign).first().waitFor();
    await page.locator('nav .queues .name').first().waitFor();
    const cut = await page.evaluate((names) => {
      const holds = (text) => names.some((name) => text.includes(name));
      const all = [...document.querySelectorAll('main *, nav *')].filter((one) => holds(one.textContent) && one.tagName !== 'OPTION');
      const wide = document.documentElement.scrollWidth > window.innerWidth ? ['the page scrolls sideways'] : [];
      const is_cut = (one) => {
        const { display, overflowX } = getComputedStyle(one);
        if (display === 'inline' || ['auto', 'scroll'].includes(overflowX)) return false;
        return one.scrollWidth > one.clientWidth + 1 || (overflowX === 'hidden' && one.scrollHeight > one.clientHeight + 1);
      };
      return [...wide, ...all.filter(is_cut).map((one) => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 50)}`)];
    }, NAMES);
    assert.deepEqual(cut, [], path);
  }
  await page.context().close();
});

const AT_ONCE = 10;  // presses, after which the test asks what had the focus

// Moves the focus through the whole page. Looks each time whether the bar at the top covers what has the focus.
async function covered_by_bar(page, key) {
  await page.evaluate(() => {
    window.seen = [];
    window.stop_looking?.abort();
    window.stop_looking = new AbortController();
    const look = () => {
      const one = document.activeElement;
      if (!one.closest('main') || one.id === 'main') return null;
      const { top, bottom } = one.getBoundingClientRect();
      const bar = document.querySelector('.top').getBoundingClientRect();
      const is_seen = top >= bar.bottom - 1 || (top < bar.bottom && bottom - bar.bottom > 200);
      return is_seen ? '' : `${one.tagName} ${one.textContent.slice(0, 30)} at ${top}`;
    };
    const of_tab = (event) => event.key === 'Tab' && window.seen.push(look());
    addEventListener('keyup', of_tab, { capture: true, signal: window.stop_looking.signal });
  });
  const seen = [];
  while (seen.length < 150) {
    for (let i = 0; i < AT_ONCE; ++i) await page.keyboard.press(key);
    const more = await page.evaluate(() => window.seen.splice(0));
    assert.equal(more.length, AT_ONCE);
    seen.push(...more);
    if (seen.length > 20 && more.includes(null)) break;
  }
  return [...new Set(seen.filter(Boolean))];
}

for (const size of [
  { width: 1280, height: 600 },
  { width: 360, height: 640 },
])
  test(`the bar at the top stays in sight, and over nothing that has the focus, ${size.width} wide`, async () => {
    const page = await open_page(browser, server.base, size);
    for (const [path, sign] of [pages.queue, pages.letter, pages.options]) {
      await page.to(path);
      await page.locator(sign).first().waitFor();
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      const bar = await page.evaluate(() => document.querySelector('.top').getBoundingClientRect().top);
      assert.equal(bar, 0, path);
      await page.locator('main button, main a, main input').last().focus();
      assert.deepEqual(await covered_by_bar(page, 'Shift+Tab'), [], path);
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await page.locator('main').focus();
      assert.deepEqual(await covered_by_bar(page, 'Tab'), [], path);
    }
    await page.context().close();
  });

test('a question keeps the focus, and gives it back', async () => {
  const page = await open_page(browser, server.base);
  await page.to(pages.letter[0]);
  const assign = page.getByRole('button', { name: 'Assign…' });
  await assign.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  for (let i = 0; i < 8; ++i) {
    await page.keyboard.press('Tab');
    assert.ok(
      await page.evaluate(
        () => document.activeElement === document.body || document.activeElement.closest('dialog') !== null,
      ),
    );
  }
  assert.deepEqual(await serious(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), await assign.textContent());
  await page.context().close();
});

test('the keys go everywhere', async () => {
  const page = await open_page(browser, server.base);
  await page.to('/dead-letters/orders-dlq?view=letters');
  await page.locator('.list-row').first().waitFor();
  await page.keyboard.press('f');
  await page.getByRole('form', { name: 'Filter' }).waitFor();
  await page.getByRole('listbox').focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  await page.keyboard.press('j');
  await page.keyboard.press('Space');
  await page.getByText('for 2 chosen').waitFor();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Abandon 2 dead letters' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('listbox').focus();
  await page.keyboard.press('r');
  await page.waitForURL(/redrives\/new\?queue=orders-dlq&ids=/);
  await page.getByText('2 by hand').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  await page.context().close();
});

test('a theme that somebody chose stays', async () => {
  const page = await open_page(browser, server.base);
  await page.to('/');
  await page.getByLabel('Theme').selectOption('dark');
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  await page.context().close();
});
