// The frame around every page: the navigation, who is signed in, and whether the connection is live. The address
// decides which page is shown in it.
import { render, type ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { live, start_events } from './api/events';
import { quiet_s } from './api/life';
import { follow_tabs, is_stranger, learn_session, session, sign_out } from './api/session';
import { Boundary } from './parts/boundary';
import { Button, Loading, say, Sayings } from './parts/controls';
import { Dialog } from './parts/dialog';
import { duration_text, plural, short_count } from './parts/format';
import { start_keeping_focus } from './parts/keep_focus';
import { QueuesProvider, use_queues } from './queues/queues';
import { dead_letter_queues } from './queues/routes';
import { make_store, use_store } from './store';
import { end_kept_in_tab, guard_kept_in_tab } from './parts/tab_store';
import { choice, choose, start_theme, type Choice } from './parts/theme';
import { visible, visible_plain } from './parts/text';
import { use_fresh } from './parts/use_fresh';
import { Analytics } from './pages/analytics';
import { DeadLetter } from './pages/dead_letter';
import { DeadLetterQueue } from './pages/dead_letter_queue';
import { Find } from './pages/find';
import { Overview } from './pages/overview';
import { NewQueue, Queue } from './pages/queue';
import { NewRedrive } from './pages/new_redrive';
import { Redrive } from './pages/redrive';
import { Redrives } from './pages/redrives';
import { Send } from './pages/send';
import { SignIn } from './pages/sign_in';
import { Simulate } from './pages/simulate';
import { go, start_router, use_focus_on_page, use_place } from './router';
import 'uplot/dist/uPlot.min.css';
import './style.css';

const RETRY_MS = 2000;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const NOTHING_HERE: [title: string, page: ComponentChildren] = [
  'Nothing here',
  <>
    <h1>Nothing here</h1>
    <p>
      There is no such page. <a href="/">Overview</a>
    </p>
  </>,
];

const QUEUE_VIEWS: Record<string, string> = { peek: 'messages', send: 'send', options: 'options' };

// The title names the queue, so that tabs and steps of the history can be told apart.
const with_queue = (what: string, query: URLSearchParams) => {
  const queue = query.get('queue');
  return queue ? `${queue} · ${what.toLowerCase()}` : what;
};

function page_of(path: string, query: URLSearchParams): [title: string, page: ComponentChildren] {
  const [first = '', second, third, ...rest] = path.split('/').filter(Boolean).map(decode);
  if (rest.length > 0 || (third && first !== 'dead-letters')) return NOTHING_HERE;
  if (first === '') return ['Overview', <Overview />];
  if (first === 'dead-letters' && second && third)
    return [`${second} · dead letter ${third.slice(-6)}`, <DeadLetter key={path} queue={second} id={third} />];
  if (first === 'dead-letters' && second) return [`${second} · dead letters`, <DeadLetterQueue key={path} queue={second} />];
  if (first === 'queues' && second)
    return [`${second} · ${QUEUE_VIEWS[query.get('view') ?? ''] ?? 'queue'}`, <Queue key={path} queue={second} />];
  if (first === 'queues') return ['New queue', <NewQueue />];
  if (first === 'redrives' && second === 'new') return [with_queue('New redrive', query), <NewRedrive />];
  if (first === 'redrives' && second && /^\d+$/.test(second))
    return [`Redrive ${second}`, <Redrive key={path} task={Number(second)} />];
  if (first === 'redrives' && !second) return ['Redrives', <Redrives />];
  if (first === 'analytics') return [with_queue('Analytics', query), <Analytics />];
  if (first === 'find') return [query.get('q') ? `${query.get('q')} · find` : 'Find', <Find />];
  if (first === 'send') return [with_queue('Send', query), <Send />];
  if (first === 'simulate') return ['Simulate', <Simulate />];
  return NOTHING_HERE;
}

const LINKS = [
  ['/', 'Overview'],
  ['/redrives', 'Redrives'],
  ['/analytics', 'Analytics'],
  ['/send', 'Send'],
  ['/simulate', 'Simulate'],
] as const;

const NAV_QUEUES = 100; // how many are listed before somebody asks for all

function Nav({ path }: { path: string }) {
  const queues = dead_letter_queues(use_queues().data ?? []);
  const [is_whole, set_whole] = useState(false);
  const current = (to: string) =>
    (to === '/' ? path === '/' : path === to || path.startsWith(to + '/')) ? ('page' as const) : undefined;
  return (
    <nav aria-label="Pages">
      <a class="brand" href="/" aria-label="Holdfast">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M10 7v18M22 7v18M10 16h12" />
        </svg>
        <span>Holdfast</span>
      </a>
      <ul>
        {LINKS.map(([to, text]) => (
          <li>
            <a href={to} aria-current={current(to)}>
              {text}
            </a>
          </li>
        ))}
      </ul>
      {queues.length > 0 && (
        <>
          <h2>Dead letters</h2>
          <ul class="queues">
            {queues.slice(0, is_whole ? undefined : NAV_QUEUES).map((queue) => (
              <li>
                <a href={`/dead-letters/${queue.name}`} aria-current={current(`/dead-letters/${queue.name}`)}>
                  <span class="name">{queue.name}</span>
                  <span class={queue.counts.dead > 0 ? 'count dead' : 'count'}>{short_count(queue.counts.dead)}</span>
                </a>
              </li>
            ))}
            {queues.length > NAV_QUEUES && (
              <li>
                <button type="button" class="link" aria-expanded={is_whole} onClick={() => set_whole(!is_whole)}>
                  {is_whole ? 'Show fewer' : `And ${plural(queues.length - NAV_QUEUES, 'more', 'more')}`}
                </button>
              </li>
            )}
          </ul>
        </>
      )}
    </nav>
  );
}

const LIVE_TEXT = { connecting: 'connecting…', live: 'live', quiet: 'no response', 'cut off': 'no connection' };

// The seconds are outside of the status element, so that a screen reader announces a change of state and not every
// second.
function LiveMark() {
  const state = use_store(live);
  const seconds = use_store(quiet_s);
  const shown = state === 'live' && seconds > 0 ? 'quiet' : state;
  return (
    <span class={`live ${shown.replace(' ', '-')}`} title={seconds > 0 ? 'since the last sign of life of the server' : undefined}>
      <i aria-hidden="true" />
      <span role="status">{LIVE_TEXT[shown]}</span>
      {seconds > 0 && <span>for {duration_text(seconds)}</span>}
    </span>
  );
}

function SearchBox() {
  const { path, query } = use_place();
  const wanted = path === '/find' ? (query.get('q') ?? '') : '';
  const [text, change] = use_fresh(wanted, () => wanted);
  return (
    <form
      role="search"
      class="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) go(`/find?${new URLSearchParams({ q: text.trim() })}`);
      }}
    >
      <input
        id="search"
        type="search"
        aria-label="Find dead letters of all queues"
        aria-keyshortcuts="/"
        placeholder="id, correlation id, attribute=value, text"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => change(() => currentTarget.value)}
      />
    </form>
  );
}

// Keeps elements that are scrolled into view from ending up under the bar, which stays at the top.
function use_scroll_padding(bar: { current: HTMLElement | null }): void {
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      document.documentElement.style.scrollPaddingTop = `${bar.current!.offsetHeight + 8}px`;
    });
    observer.observe(bar.current!);
    return () => observer.disconnect();
  }, []);
}

function Top({ on_help }: { on_help: () => void }) {
  const bar = useRef<HTMLElement>(null);
  use_scroll_padding(bar);
  const now = use_store(session);
  const theme = use_store(choice);
  return (
    <header class="top" ref={bar}>
      <LiveMark />
      {now.signedIn && (
        <span class="who faint" title={visible_plain(now.name ?? '')}>
          {visible(now.name ?? '')}
        </span>
      )}
      <span class="space" />
      <SearchBox />
      <button type="button" class="button quiet" aria-keyshortcuts="?" onClick={on_help}>
        Keys
      </button>
      <label class="unseen" for="theme">
        Theme
      </label>
      <select id="theme" value={theme} onChange={(event) => choose(event.currentTarget.value as Choice)}>
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
      {now.signedIn && (
        <Button
          kind="quiet"
          on_click={() => {
            end_kept_in_tab();
            sign_out().catch((failure) => say(`${failure.message} The session may still be open.`, 'critical'));
          }}
        >
          Sign out
        </Button>
      )}
    </header>
  );
}

const KEYS = [
  ['g then o', 'overview'],
  ['g then r', 'redrives'],
  ['g then a', 'analytics'],
  ['f', 'filter a dead letter queue'],
  ['/', 'find dead letters in all queues'],
  ['j, k, arrows', 'move in a list of letters or groups'],
  ['enter', 'open the letter, unfold the group'],
  ['space', 'choose letters, to act on several at once'],
  ['a', 'assign'],
  ['r', 'redrive'],
  ['e', 'edit and redrive one letter'],
  ['n', 'add a note'],
  ['x', 'abandon'],
  ['esc', 'clear the choice; close a dialog'],
  ['?', 'this list'],
];

function Help({ on_close }: { on_close: () => void }) {
  return (
    <Dialog title="Keys" on_close={on_close}>
      <dl class="key-list">
        {KEYS.map(([keys, what]) => (
          <div>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="faint">Every button can be reached with the tab key.</p>
    </Dialog>
  );
}

const GO: Record<string, string> = { o: '/', r: '/redrives', a: '/analytics', s: '/send' };

function is_typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
}

const LIST_KEYS = ['j', 'k', 'a', 'n', 'r', 'x'];

const ROW_KEYS = ['Enter', ' ']; // they go to the list only if no control that they would press has the focus

const is_on_nothing = (target: EventTarget | null): boolean =>
  target === document.body || (target instanceof HTMLElement && target.id === 'main');

// Passes a key to the list on the page, wherever the focus is. The list gets the focus, so that it also gets the next
// keys.
function pass_to_list(event: KeyboardEvent): boolean {
  const list = document.querySelector<HTMLElement>('main [data-keys]');
  if (!list || list.contains(event.target as Node)) return false;
  event.preventDefault();
  list.focus();
  list.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, bubbles: true, cancelable: true }));
  return true;
}

// A single key presses the button that names it. The key "g" and a letter lead to a page. The keys work as soon as the
// page is drawn, since a user can be that fast.
function use_keys(on_help: () => void): void {
  useLayoutEffect(() => {
    let after_g = false;
    const pressed = (event: KeyboardEvent) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.defaultPrevented ||
        is_typing(event.target) ||
        document.querySelector('dialog[open]')
      )
        return;
      const was_g = after_g;
      after_g = event.key === 'g';
      if (was_g && GO[event.key]) return go(GO[event.key]);
      if (event.key === '?') return on_help();
      if (event.key === '/') {
        event.preventDefault();
        return document.getElementById('search')?.focus();
      }
      const is_for_list = LIST_KEYS.includes(event.key) || (ROW_KEYS.includes(event.key) && is_on_nothing(event.target));
      if (is_for_list && pass_to_list(event)) return;
      const button = [...document.querySelectorAll<HTMLElement>('main [aria-keyshortcuts]')].find(
        (one) => one.getAttribute('aria-keyshortcuts') === event.key,
      );
      if (!button) return;
      event.preventDefault();
      button.focus();
      button.click();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, []);
}

const CLOCK_MS = 10_000;

// Redraws the page regularly, so that ages stay right even while the server does not answer and nothing is read.
function use_clock(): void {
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => redraw((n) => n + 1), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
}

function App() {
  const { path, query } = use_place();
  const now = use_store(session);
  const [help, set_help] = useState(false);
  const [name, page] = page_of(path, query);
  const title = is_stranger(now) ? 'Sign in' : name;
  use_keys(() => set_help(true));
  useEffect(() => {
    document.title = `${visible_plain(title)} · Holdfast`;
  }, [title]);
  use_focus_on_page(is_stranger(now) ? null : path);
  use_clock();
  const unlearned = use_store(why_unlearned);
  if (!now.known)
    return (
      <main>
        <Loading />
        {unlearned && <p class="note warning">{unlearned} This page asks again every two seconds.</p>}
      </main>
    );
  if (is_stranger(now)) return <SignIn />;
  return (
    <QueuesProvider>
      <a class="skip" href="#main">
        To the page
      </a>
      <Nav path={path} />
      <div class="content">
        <Top on_help={() => set_help(true)} />
        <main id="main" tabIndex={-1}>
          <Boundary key={path}>{page}</Boundary>
        </main>
      </div>
      <Sayings />
      {help && <Help on_close={() => set_help(false)} />}
    </QueuesProvider>
  );
}

const why_unlearned = make_store('');

async function learn(): Promise<void> {
  try {
    await learn_session();
    why_unlearned.set('');
  } catch (failure) {
    why_unlearned.set((failure as Error).message);
    setTimeout(learn, RETRY_MS);
  }
}

start_theme();
start_router();
start_keeping_focus();
guard_kept_in_tab();
render(<App />, document.getElementById('app')!);
void learn();
follow_tabs();
start_events();
