// Makes the pictures of the dashboard for the documents.
//
//   node tests/page/pictures.mjs docs
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open_page, Server, start_browser } from './harness.mjs';
import { with_palette } from './palette.mjs';
import { kill, seed, side_by_side } from './seed.mjs';

const QUIET = ['audit', 'exports', 'images', 'invites', 'ledger', 'newsletters', 'reports', 'search-index'];

// Makes a shop on a bad day: the warehouse does not answer, somebody has stopped the refunds, and much else is quiet.
async function make_scene(api) {
  await seed(api);
  await api.patch('/queues/orders-dlq', { maxLength: 1000, alerts: { depth: 50, depthHigh: 200, depthCritical: 500 } });
  await api.put('/queues/payments-dlq', { alerts: { depthCritical: 10 } });
  await api.put('/queues/payments', { deadLetterQueue: 'payments-dlq' });
  await api.put('/queues/refunds', { deadLetterQueue: 'payments-dlq' });
  await side_by_side(QUIET.length, (i) => api.put(`/queues/${QUIET[i]}`));
  for (const [queue, count] of [
    ['payments', 17],
    ['refunds', 4],
  ])
    await kill(
      api,
      queue,
      Array.from({ length: count }, (_, i) => ({ body: `{"payment":${i}}` })),
      () => ({ category: 'payment', code: 'E40', reason: 'card declined: insufficient funds' }),
    );
  await api.post('/queues/refunds/messages/batch', { messages: Array(23).fill({ body: '{}' }) });
  await api.post('/queues/refunds/pause', { deliveries: true });
  await api.post('/queues/orders-dlq/dead-letters/change', {
    selection: { filter: { category: 'validation' } },
    assignee: 'ann',
    status: 'investigating',
  });
}

async function take_pictures(server, browser, directory) {
  await make_scene(server.api);
  const { items } = await server.api.get('/queues/orders-dlq/dead-letters?category=timeout&max=1');
  for (const [name, path, sign, view] of [
    ['dashboard', '/', '.queue-table td.number:text-matches("^[0-9.]+ (s|min)$")', { width: 1240, height: 800 }],
    ['dashboard-queue', '/dead-letters/orders-dlq', '.groups', { width: 1240, height: 900 }],
    ['dashboard-letter', `/dead-letters/orders-dlq/${items[0].id}`, '.json', { width: 1280, height: 900 }],
    ['dashboard-phone', '/dead-letters/orders-dlq', '.groups', { width: 390, height: 844, theme: 'dark' }],
  ]) {
    const page = await open_page(browser, server.base, view);
    await page.to(path);
    await page.locator(sign).first().waitFor();
    writeFileSync(join(directory, `${name}.png`), with_palette(await page.screenshot()));
    await page.context().close();
  }
}

const [server, browser] = await Promise.all([Server.start(), start_browser()]);
try {
  await take_pictures(server, browser, process.argv[2]);
} finally {
  await browser.close();
  await server.stop();
}
