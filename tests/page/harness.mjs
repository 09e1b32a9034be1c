// Starts a server and a browser for tests of the dashboard.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Api } from './seed.mjs';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const BIN = process.env.HOLDFAST_BIN ?? join(ROOT, 'build', 'release', 'bin');
// Chromium without windows does the same with less work.
const BROWSERS = [
  process.env.HOLDFAST_BROWSER,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export class Server {
  static async start({ port = 0, data, tokens, tls, options = [] } = {}) {
    const server = new Server();
    server.owns = data === undefined;
    server.data = data ?? mkdtempSync(join(tmpdir(), 'holdfast-page-'));
    server.tokens = tokens;
    server.tls = tls; // { certificate, key }
    server.options = options;  // more arguments of the command line
    await server.run(port);
    return server;
  }

  // Resolves when the server listens.
  async run(port) {
    const options = [
      '--data',
      join(this.data, 'data'),
      '--listen',
      'unix:' + join(this.data, 'socket'),
      '--http-listen',
      `${this.tls ? 'tls://' : ''}127.0.0.1:${port}`,
      ...this.options,
    ];
    if (this.tls) options.push('--tls-certificate', this.tls.certificate, '--tls-key', this.tls.key);
    if (this.tokens) options.push('--tokens', this.tokens);
    this.child = spawn(join(BIN, 'holdfastd'), options, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.log = '';
    const address = await new Promise((found, failed) => {
      this.child.stderr.setEncoding('utf8').on('data', (text) => {
        this.log += text;
        const match = /HTTP on (\S+:\d+)/.exec(this.log);
        if (match) found(match[1]);
      });
      this.child.once('exit', () => failed(new Error(`holdfastd ended:\n${this.log}`)));
    });
    this.port = Number(address.slice(address.lastIndexOf(':') + 1));
    this.base = `${this.tls ? 'https' : 'http'}://127.0.0.1:${this.port}`;
    this.api = new Api(this.base);
  }

  async halt(signal = 'SIGTERM') {
    const child = this.child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
  }

  // Stops the server's process, with all its connections, until it goes on.
  pause() {
    this.child.kill('SIGSTOP');
  }
  go_on() {
    this.child.kill('SIGCONT');
  }

  async restart(signal) {
    await this.halt(signal);
    await this.run(this.port);
  }

  async stop() {
    await this.halt();
    if (this.owns) rmSync(this.data, { recursive: true, force: true });
  }
}

// The browser heeds the last list of features only, so this one begins with playwright's own. The popups of the address
// bar, which nobody sees here, are pages themselves. Each new context draws them, which is a third of the browser's work.
const FEATURES_OFF = [
  'AcceptCHFrame',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
  'AutoDeElevate',
  'RenderDocument',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
];

export async function start_browser(args = []) {
  const executablePath = BROWSERS.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error('there is no chromium: tools/setup installs it');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--force-color-profile=srgb',
      `--disable-features=${FEATURES_OFF}`,
      ...args,
    ],
  });
}

// Opens a page that remembers what its console complained about, and which server it asked for what.
export async function open_page(browser, base, { width = 1280, height = 900, theme = 'light' } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: base.startsWith('https:'), // the certificates of tests are signed by nobody
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.complaints = [];
  page.strangers = [];
  page.on('console', (message) => message.type() === 'error' && page.complaints.push(message.text()));
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    page.complaints.push(`a dialog of the browser: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== base) page.strangers.push(request.url());
  });
  page.to = (path) => page.goto(base + path);
  return page;
}

// Types into a field at the moment when it is drawn, before the page does anything else. Users are that fast while the
// machine is busy. The function runs in the page.
export function type_when_drawn([selector, text]) {
  const observer = new MutationObserver(() => {
    const field = document.querySelector(selector);
    if (!field) return;
    observer.disconnect();
    field.value = text;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
  observer.observe(document, { childList: true, subtree: true });
}

// Lets the next calls have their effect, while the page hears nothing of it, or hears something else (`instead`).
// Returns the request ids of all calls.
export async function lose_answers(page, url, count, method = 'POST', instead = undefined) {
  const ids = [];
  await page.route(url, async (route) => {
    const body = route.request().postDataJSON();
    if (route.request().method() !== method || body?.selection?.dryRun || body?.dryRun) return route.continue();
    ids.push(body?.requestId);
    if (ids.length > count) return route.continue();
    await route.fetch();
    await (instead ? route.fulfill(instead) : route.abort('connectionreset'));
  });
  return ids;
}

export const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

// Returns what axe finds that is serious or worse, with a line for each. It looks at the page from its top: the bar that
// stays in sight covers a part of what is scrolled under it, and axe would call that too small.
export async function serious(page, runOnly = ALL_RULES) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const violations = await page.evaluate(
    async (how) => {
      const y = window.scrollY;
      window.scrollTo(0, 0);
      const found = await window.axe.run(document, how);
      window.scrollTo(0, y);
      return found.violations;
    },
    { runOnly, resultTypes: ['violations'] },
  );
  return violations
    .filter((one) => ['serious', 'critical'].includes(one.impact))
    .flatMap((one) =>
      one.nodes.map(
        (node) =>
          `${one.id}: ${node.target.join(' ')}: ${node.failureSummary.split('\n').slice(1, 2).join(' ').trim()}`,
      ),
    );
}
