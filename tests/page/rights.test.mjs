// What a token may not see or do is not there, or is greyed with the reason. A session is good only for its own page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { open_page, Server, serious, start_browser } from './harness.mjs';
import { Api, kill } from './seed.mjs';

const TOKENS = {
  admin: ['all:*'],
  eyes: ['operate:orders*', 'hide=body', 'hide=attribute:card'],
  app: ['produce,consume:orders'],
  stray: ['produce:nothing-there'],
};
let directory, server, browser, admin;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-page-'));
  const file = join(directory, 'tokens');
  const hash = (text) => createHash('sha256').update(text).digest('hex');
  writeFileSync(
    file,
    Object.entries(TOKENS)
      .map(([name, words]) => `${name} ${hash(`${name}-token`)} ${words.join(' ')}\n`)
      .join(''),
    { mode: 0o600 },
  );
  [server, browser] = await Promise.all([Server.start({ data: directory, tokens: file }), start_browser()]);
  admin = new Api(server.base, 'admin-token');
  await admin.put('/queues/orders-dlq');
  await admin.put('/queues/orders', { deadLetterQueue: 'orders-dlq' });
  await admin.put('/queues/secret-dlq');
  await admin.put('/queues/secret', { deadLetterQueue: 'secret-dlq' });
  const messages = [
    {
      body: '{"pin":1234}',
      attributes: [
        { name: 'card', value: '4711-0815' },
        { name: 'tenant', value: 'north' },
      ],
    },
  ];
  for (const queue of ['orders', 'secret'])
    await kill(admin, queue, messages, () => ({ category: 'validation', reason: 'no such customer' }));
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function signed_in(token, size) {
  const page = await open_page(browser, server.base, size);
  await page.to('/');
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return page;
}

test('a stranger is asked for a token, and a wrong one is told so', async () => {
  const page = await open_page(browser, server.base);
  await page.to('/dead-letters/orders-dlq');
  await page.getByLabel('Token').fill('hf_wrong');
  await page.keyboard.press('Enter');
  await page.getByText('the token is not known here').waitFor();
  // Chromium itself writes a line for each answer that is an error.
  assert.equal(page.complaints.filter((one) => !one.includes('403')).length, 0);
  await page.context().close();
});

test('a browser that refuses the cookie is told so, and not asked again without a word', async () => {
  const page = await open_page(browser, server.base);
  await page.route('**/v1/session', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    await route.fulfill({ status: 204 });
  });
  await page.to('/');
  await page.getByLabel('Token').fill('admin-token');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('The browser does not keep the session').waitFor();
  await page.context().close();
});

test('a sign-in tells what a gateway answers, and goes on where the lost try has started a session', async () => {
  const page = await open_page(browser, server.base);
  await page.to('/');
  const answer = async (method, instead, reaches) => {
    await page.unroute('**/v1/session');
    await page.route('**/v1/session', async (route) => {
      if (route.request().method() !== method) return route.continue();
      if (reaches) await route.fetch();
      await route.fulfill(instead);
    });
  };
  const gateway = (status) => ({ status, contentType: 'text/html', body: `<html>${status} of a gateway</html>` });
  const press = () => page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Token').fill('admin-token');
  for (const status of [502, 503, 504]) {
    await answer('POST', gateway(status));
    await press();
    await page.getByRole('alert').getByText(`Something between this page and the server answered ${status}.`).waitFor();
  }
  await answer('POST', { status: 403, contentType: 'application/problem+json', body: '{"detail": "the tok' });
  await press();
  await page.getByRole('alert').getByText('The answer was cut off.').waitFor();
  await answer('POST', gateway(502), true);
  await press();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await answer('DELETE', gateway(502));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('answered 502. The session may still be open.').waitFor();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await answer('GET', gateway(503));
  await page.reload();
  await page.getByText('Something between this page and the server answered 503. This page asks again').waitFor();
  assert.equal(await page.getByText('of a gateway').count(), 0);
  await page.unroute('**/v1/session');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.context().close();
});

test('the focus goes where a person goes on, after a sign-in and after a sign-out', async () => {
  const page = await signed_in('admin-token');
  const has_focus = (of) => page.waitForFunction((one) => document.activeElement?.matches(one), of);
  await has_focus('#main');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await has_focus('input[type=password]');
  await page.context().close();
});

test('who signs in as another in one tab is the other in all tabs', async () => {
  const page = await signed_in('admin-token');
  const top = page.locator('.top');
  await top.getByText('admin', { exact: true }).waitFor();
  const tab = await page.context().newPage();
  await tab.goto(server.base);
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await tab.getByLabel('Token').fill('eyes-token');
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.locator('.top').getByText('eyes', { exact: true }).waitFor();
  await top.getByText('eyes', { exact: true }).waitFor();
  await page.context().close();
});

test('what a page says of its openers is said where browsers heed it', async () => {
  const policy = async (host) => {
    const answer = await new Promise((done, failed) => get(server.base, { headers: { host } }, done).on('error', failed));
    answer.resume();
    assert.equal(answer.statusCode, 200);
    return answer.headers['cross-origin-opener-policy'];
  };
  for (const host of ['127.0.0.1:7780', 'localhost', '[::1]:7780']) assert.equal(await policy(host), 'same-origin', host);
  for (const host of ['192.0.2.1', '[2001:db8::1]:7780']) assert.equal(await policy(host), undefined, host);
});

test('the browser keeps no token, and scripts see no session', async () => {
  const page = await signed_in('admin-token');
  const cookies = await page.context().cookies();
  assert.equal(cookies.length, 1);
  assert.deepEqual([cookies[0].httpOnly, cookies[0].sameSite, cookies[0].secure], [true, 'Strict', false]);
  assert.ok(!JSON.stringify(cookies).includes('admin-token'));
  assert.equal(await page.evaluate(() => document.cookie), '');
  assert.equal(
    await page.evaluate(() => Object.values(localStorage).join() + Object.values(sessionStorage).join()),
    '',
  );
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('a call that is under way when somebody signs out is refused to nobody', async () => {
  const page = await signed_in('admin-token');
  const is_queues = (url) => url.pathname === '/v1/queues';
  const held = await new Promise((found) => void page.route(is_queues, found, { times: 1 }));
  await page.route(
    (url) => url.pathname === '/v1/session',
    async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      const response = await route.fetch();
      // The session has ended, and the page has not heard of it yet. A call that was given up goes nowhere.
      await held.continue().catch(() => null);
      await page.evaluate(() => fetch('/v1').then((answer) => answer.text()));
      await route.fulfill({ response });
    },
  );
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token').waitFor();
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('a page of another port of this machine can do nothing with the session', async () => {
  const page = await signed_in('admin-token');
  const other = await Server.start();
  const foreign = await page.context().newPage();
  await foreign.goto(other.base + '/v1');
  const asked = (path, options) =>
    foreign.evaluate(
      async ([url, how]) => {
        try {
          return (await fetch(url, { credentials: 'include', ...how })).status;
        } catch {
          return 'refused';
        }
      },
      [server.base + path, options],
    );
  const { id } = await admin.get('/queues/orders');
  assert.equal(
    await asked('/v1/queues/orders/purge', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: '{}' }),
    'refused',
  );
  assert.equal(
    await asked('/v1/queues/orders/purge', { method: 'POST', headers: { 'Holdfast-Request': '1' }, body: '{}' }),
    'refused',
  );
  assert.equal(await asked('/v1/queues/orders', {}), 'refused');
  assert.equal((await admin.get('/queues/orders')).id, id);
  await other.stop();
  await page.context().close();
});

test('who may not see bodies sees that they are hidden, and only its own queues', async () => {
  const page = await signed_in('eyes-token');
  await page.getByRole('link', { name: 'orders-dlq' }).first().waitFor();
  assert.equal(await page.getByText('secret').count(), 0);
  await page.getByText('None in the queues that this token may operate.').waitFor();
  await page.to('/dead-letters/orders-dlq');
  await page.getByRole('link', { name: 'newest' }).click();
  await page.getByText('The body is hidden from this token.').waitFor();
  await page.getByRole('row', { name: 'card hidden from this token' }).waitFor();
  assert.equal(await page.getByText('4711-0815').count(), 0);
  await page.getByText('Steps in queues that this token may not operate are not shown to it.').waitFor();
  const edit = page.getByRole('button', { name: /^Edit and redrive/ });
  assert.equal(await edit.getAttribute('aria-disabled'), 'true');
  assert.match(await edit.getAttribute('title'), /may not see bodies/);
  await page.to('/dead-letters/secret-dlq');
  await page.context().close();
});

test('a queue that a token may not see is not said to be missing: once, and asked for once', async () => {
  const page = await signed_in('eyes-token');
  await page.clock.install();
  const refused = [];
  page.on('response', (answer) => answer.status() === 404 && refused.push(answer.url()));
  for (const path of ['/dead-letters/secret-dlq', '/queues/secret?view=peek', '/analytics?queue=secret-dlq']) {
    const name = /secret(-dlq)?/.exec(path)[0];
    await page.to(path);
    const said = page.locator('main').getByText(`There is no queue '${name}' that this token may see.`);
    await said.waitFor();
    assert.equal(await said.count(), 1, path);
    assert.equal(await page.locator('main .note').count(), 1, path);
    assert.equal(await page.locator('main .note.critical').count(), 0, path);
    // The page reads the list of queues on the left every few seconds. If it asked for the refused parts again, it
    // would have done so by then.
    refused.length = 0;
    for (let i = 0; i < 2; ++i) {
      const read = page.waitForResponse((answer) => answer.url().endsWith('/v1/queues'));
      await page.clock.runFor(6000);
      await read;
    }
    assert.deepEqual(refused, [], path);
  }
  assert.equal(await page.getByText('no queue named').count(), 0);
  await page.context().close();
});

test('who may not see what holds is told so, not that nothing does', async () => {
  const page = await signed_in('app-token');
  await page.getByText('The token “app” may see 1 queue only.').waitFor();
  assert.equal(await page.getByText('There is no alert').count(), 0);
  await page.getByText('Not known: The token “app” was not granted to operate queues.').waitFor();
  const dead = page.locator('.figure', { hasText: 'Dead letters' });
  await dead.getByText('not known: the token “app” may see no dead letter queue').waitFor();
  assert.equal(await dead.getByText('0', { exact: true }).count(), 0);
  await page.locator('.routes .node.unknown', { hasText: 'orders-dlq' }).getByText('not known', { exact: true }).waitFor();
  await page.locator('.routes .edge .arrow').getByText('?').waitFor();
  await page.to('/redrives');
  await page.getByText('Not known: The token “app” was not granted to operate queues.').waitFor();
  assert.equal(await page.getByText('There are no redrives').count(), 0);
  await page.to('/find?q=validation');
  await page.getByText('Not known: The token “app” was not granted to operate queues.').waitFor();
  assert.equal(await page.getByText('None in the queues').count(), 0);
  await page.to('/analytics');
  await page.getByText('There is no dead letter queue that this token may see.').waitFor();
  await page.to('/redrives/1');
  await page.getByText('This token is not shown redrives of queues that it may not operate.').waitFor();
  await page.context().close();
  const whole = await signed_in('admin-token');
  await whole.locator('.alerts').getByText('1 dead letter').first().waitFor();
  assert.equal(await whole.getByText('Alerts and pauses of the others').count(), 0);
  await whole.context().close();
});

test('who may only send and receive finds all else greyed, with the reason', async () => {
  const page = await signed_in('app-token');
  await page.to('/queues/orders');
  const pause = page.getByRole('button', { name: 'Pause deliveries' });
  assert.equal(await pause.getAttribute('aria-disabled'), 'true');
  assert.match(await pause.getAttribute('title'), /“app” was not granted to operate orders/);
  await pause.focus();
  await page.keyboard.press('Enter');
  await page
    .locator('.sayings')
    .getByText(/was not granted to operate/)
    .waitFor();
  assert.equal((await admin.get('/queues/orders')).paused.deliveries, false);
  await page.getByRole('tab', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Send 1 message' }).click();
  await page.getByText(/^Sent:/).waitFor();
  await page.getByRole('tab', { name: 'Options' }).click();
  await page.getByLabel('Lease', { exact: true }).fill('9m');
  assert.equal(await page.getByRole('button', { name: 'Change 1 option' }).getAttribute('aria-disabled'), 'true');
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('who may see no queue is told so on each page', async () => {
  const page = await signed_in('stray-token');
  await page.getByText('The token “stray” may see no queue. Alerts and pauses are not shown.').waitFor();
  await page.to('/send');
  await page.getByText('There is no queue that this token may see.').waitFor();
  await page.to('/send?queue=orders');
  assert.equal(await page.getByLabel('Queue', { exact: true }).inputValue(), 'orders');
  const reason = await page.getByRole('button', { name: 'Send 1 message' }).getAttribute('title');
  assert.equal(reason, 'The token “stray” was not granted to produce orders.');
  for (const path of ['/dead-letters/orders-dlq', '/queues/orders', '/queues/orders?view=peek', '/analytics?queue=orders-dlq']) {
    await page.to(path);
    await page.getByText(/^There is no queue '.*' that this token may see\.$/).waitFor();
  }
  for (const path of ['/redrives', '/find?q=x']) {
    await page.to(path);
    await page.getByText('Not known: The token “stray” was not granted to operate queues.').waitFor();
  }
  await page.context().close();
});

test('on a narrow phone all pages and the end of the session are in sight', async () => {
  const page = await signed_in('admin-token', { width: 360, height: 740 });
  await page.getByRole('link', { name: 'orders-dlq' }).first().waitFor();
  const edges = await page.evaluate(() =>
    [...document.querySelectorAll('nav ul:not(.queues) a, .top > *')].map((one) => one.getBoundingClientRect().right),
  );
  assert.ok(edges.length > 8 && Math.max(...edges) <= 360, `${Math.max(...edges)}`);
  const tops = await page.evaluate(() =>
    [...document.querySelectorAll('.top button, .top select')].map((one) => one.getBoundingClientRect().top),
  );
  assert.ok(Math.max(...tops) - Math.min(...tops) < 10, 'the buttons stand in several rows');
  assert.deepEqual(await serious(page), []);
  await page.context().close();
});

test('the API wants the header of its own page for changes', () => {
  const status = (...options) =>
    execFileSync(
      'curl',
      [
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        ...options,
        `${server.base}/v1/queues/orders/pause`,
        '-d',
        '{"sends":true}',
      ],
      { encoding: 'utf8' },
    );
  const cookie = execFileSync(
    'curl',
    [
      '-s',
      '-D',
      '-',
      '-o',
      '/dev/null',
      `${server.base}/v1/session`,
      '-H',
      'Content-Type: application/json',
      '-d',
      '{"token":"admin-token"}',
    ],
    { encoding: 'utf8' },
  ).match(/Set-Cookie: ([^;]+)/i)[1];
  assert.equal(status('-b', cookie), '403');
  const sign_out = (...options) =>
    execFileSync(
      'curl',
      [
        '-s',
        '-o',
        '/dev/null',
        '-w',
        '%{http_code}',
        '-X',
        'DELETE',
        '-b',
        cookie,
        ...options,
        `${server.base}/v1/session`,
      ],
      { encoding: 'utf8' },
    );
  assert.equal(sign_out(), '403');
  assert.equal(status('-b', cookie, '-H', 'Holdfast-Request: 1', '-H', 'Sec-Fetch-Site: same-site'), '403');
  assert.equal(status(), '401');
  assert.equal(status('-b', cookie, '-H', 'Holdfast-Request: 1'), '204');
  assert.equal(sign_out('-H', 'Holdfast-Request: 1'), '204');
  assert.equal(status('-b', cookie, '-H', 'Holdfast-Request: 1'), '401');
});

test('over TLS the cookie goes over TLS alone', async () => {
  const tls = { certificate: join(directory, 'certificate.pem'), key: join(directory, 'key.pem') };
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-keyout',
      tls.key,
      '-out',
      tls.certificate,
    ],
    { stdio: 'ignore' },
  );
  const data = mkdtempSync(join(directory, 'tls-'));
  const encrypted = await Server.start({ data, tokens: join(directory, 'tokens'), tls });
  try {
    const ask = (...options) =>
      execFileSync('curl', ['-s', '-i', '--cacert', tls.certificate, '--insecure', ...options], { encoding: 'utf8' });
    const answer = ask(
      `${encrypted.base}/v1/session`,
      '-H',
      'Content-Type: application/json',
      '-H',
      `Origin: ${encrypted.base}`,
      '-d',
      '{"token":"admin-token"}',
    );
    assert.match(answer, /^HTTP\/1.1 204/);
    assert.match(answer, /Set-Cookie: .*; HttpOnly; SameSite=Strict; Secure\r/);
    const cookie = answer.match(/Set-Cookie: ([^;]+)/)[1];
    assert.match(ask(`${encrypted.base}/v1/queues`, '-b', cookie, '-H', `Origin: ${encrypted.base}`), /^HTTP\/1.1 200/);
    const document = ask(`${encrypted.base}/`, '-H', 'Host: 192.0.2.1');
    assert.match(document, /<!doctype html>/);
    assert.match(document, /^Cross-Origin-Opener-Policy: same-origin\r$/im);
    const page = await open_page(browser, encrypted.base);
    await page.to('/');
    const sign_in = async () => {
      await page.getByLabel('Token').fill('admin-token');
      await page.keyboard.press('Enter');
      await page.locator('.top').getByText('live', { exact: true }).waitFor();
    };
    await sign_in();
    const [kept] = await page.context().cookies();
    assert.deepEqual([kept.name.startsWith('__Host-'), kept.secure, kept.httpOnly, kept.sameSite], [true, true, true, 'Strict']);
    await encrypted.restart();
    await page.getByText('The session of admin is over').waitFor();
    await sign_in();
    await page.context().close();
  } finally {
    await encrypted.halt();
  }
});
