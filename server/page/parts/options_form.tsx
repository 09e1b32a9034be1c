// The options of a queue, to create one or to change one. Only what was changed is sent.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { QueueOptions } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button, Check, Input, say, say_wrong, Select, type Choice } from './controls';
import { duration_input, parse_duration } from './format';
import { use_store } from './store';
import { visible } from './text';

type Kind = 'number' | 'duration' | 'text' | 'flag' | 'choice' | 'durations' | 'list' | 'pairs';

interface Option {
  path: string; // "retry.base": a member of a member
  label: string;
  kind: Kind;
  hint?: string;
  choices?: readonly Choice[];
  fallback?: unknown; // the library's default
}

const words = (...names: string[]): Choice[] =>
  names.map((one) => [one, one.replace(/[A-Z]/g, (c) => ' ' + c.toLowerCase())] as const);

const GROUPS: [string, Option[]][] = [
  [
    'Failures',
    [
      {
        path: 'maxDeliveries',
        label: 'Max deliveries',
        kind: 'number',
        fallback: 5,
        hint: 'After so many without an ack a message is dead.',
      },
      {
        path: 'deadLetterQueue',
        label: 'Dead letter queue',
        kind: 'text',
        hint: 'Empty: none; it is retried for ever.',
      },
      {
        path: 'deadLetterRoutes',
        label: 'Routes of categories',
        kind: 'pairs',
        hint: 'category=queue, category=queue',
      },
      { path: 'lease', label: 'Lease', kind: 'duration', fallback: 30 },
      {
        path: 'lifetime',
        label: 'Lifetime',
        kind: 'duration',
        fallback: 0,
        hint: 'Dead when it still fails so long after its first failure; 0: no bound.',
      },
      {
        path: 'discardRejected',
        label: 'Discard what is rejected, where there is no dead letter queue',
        kind: 'flag',
        fallback: false,
      },
    ],
  ],
  [
    'Retries',
    [
      {
        path: 'retry.kind',
        label: 'Wait',
        kind: 'choice',
        choices: words('immediate', 'fixed', 'exponential', 'stages'),
        fallback: 'immediate',
      },
      { path: 'retry.base', label: 'First wait', kind: 'duration', hint: 'Of fixed and exponential.' },
      { path: 'retry.cap', label: 'Longest wait', kind: 'duration', hint: 'Of exponential.' },
      { path: 'retry.jitter', label: 'Jitter', kind: 'number', hint: 'A share, 0 to 1, by which waits are shortened.' },
      { path: 'retry.stages', label: 'Stages', kind: 'durations', hint: 'Of stages: 1s, 10s, 1m' },
    ],
  ],
  [
    'Messages',
    [
      { path: 'delay', label: 'Delay', kind: 'duration', fallback: 0 },
      { path: 'timeToLive', label: 'Time to live', kind: 'duration', fallback: 0, hint: '0: for ever.' },
      {
        path: 'onExpiry',
        label: 'When that is over',
        kind: 'choice',
        choices: words('deadLetter', 'drop'),
        fallback: 'deadLetter',
      },
      {
        path: 'durability',
        label: 'Durability',
        kind: 'choice',
        choices: words('fsync', 'buffered'),
        fallback: 'fsync',
      },
      {
        path: 'grouping',
        label: 'Groups',
        kind: 'choice',
        choices: words('none', 'ordered', 'fair'),
        fallback: 'none',
      },
      { path: 'priorities', label: 'Priorities', kind: 'number', fallback: 1 },
      {
        path: 'deduplication',
        label: 'Deduplication',
        kind: 'choice',
        choices: words('none', 'byId', 'byContent'),
        fallback: 'none',
      },
      { path: 'deduplicationWindow', label: 'Deduplication window', kind: 'duration', fallback: 300 },
    ],
  ],
  [
    'Bounds',
    [
      { path: 'maxLength', label: 'Most messages', kind: 'number', fallback: 0, hint: '0: any number.' },
      { path: 'maxBytes', label: 'Most bytes', kind: 'number', fallback: 0, hint: '0: any number.' },
      {
        path: 'onOverflow',
        label: 'When it is full',
        kind: 'choice',
        choices: words('rejectSend', 'deadLetterHead', 'dropHead'),
        fallback: 'rejectSend',
      },
      { path: 'maxLeased', label: 'Most leased', kind: 'number', fallback: 0 },
      { path: 'maxBodyBytes', label: 'Largest body', kind: 'number', fallback: 1048576 },
      { path: 'journal.maxEntries', label: 'Journal entries', kind: 'number', fallback: 0, hint: '0: no journal.' },
    ],
  ],
  [
    'As a dead letter queue',
    [
      { path: 'parkingQueue', label: 'Parking queue', kind: 'text' },
      { path: 'keepReplayed', label: 'Keep replayed', kind: 'duration', fallback: 7776000 },
      { path: 'keepAbandoned', label: 'Keep abandoned', kind: 'duration', fallback: 31536000 },
      { path: 'autoRedrive.every', label: 'Redrive by itself every', kind: 'duration', fallback: 0, hint: '0: never.' },
      { path: 'autoRedrive.max', label: 'At most, each time', kind: 'number', fallback: 100 },
      { path: 'autoRedrive.categories', label: 'Only these categories', kind: 'list' },
      { path: 'autoRedrive.maxReplays', label: 'Until replayed so often', kind: 'number', fallback: 3 },
      {
        path: 'brake.deathsPerMinute',
        label: 'Brake above deaths a minute',
        kind: 'number',
        fallback: 0,
        hint: 'Of a source: 0: never.',
      },
      { path: 'brake.delay', label: 'Wait while braked', kind: 'duration', fallback: 30 },
    ],
  ],
];
const OPTIONS = GROUPS.flatMap(([, options]) => options);

const member = (options: QueueOptions | null, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], options);

function text_of(option: Option, value: unknown): string {
  if (value === undefined || value === null)
    return option.fallback === undefined ? '' : text_of({ ...option, fallback: undefined }, option.fallback);
  if (option.kind === 'duration') return duration_input(value as number);
  if (option.kind === 'durations') return (value as number[]).map(duration_input).join(', ');
  if (option.kind === 'list') return (value as string[]).join(', ');
  if (option.kind === 'pairs')
    return (value as { category?: string; queue?: string }[]).map((one) => `${one.category}=${one.queue}`).join(', ');
  return String(value);
}

const parts_of = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

function wrong_of(option: Option, text: string): string | undefined {
  if (text === '') return undefined;
  if (option.kind === 'number' && !/^\d+(\.\d+)?$/.test(text)) return 'This is not a number.';
  if (option.kind === 'duration' && parse_duration(text) === null) return 'This is no duration, such as 30s or 1h.';
  if (option.kind === 'durations' && parts_of(text).some((one) => parse_duration(one) === null))
    return 'One of them is no duration.';
  if (option.kind === 'pairs' && parts_of(text).some((one) => !/^[^=]*=[^=]+$/.test(one)))
    return 'It has to be category=queue.';
  return undefined;
}

function value_of(option: Option, text: string): unknown {
  if (option.kind === 'number') return Number(text || 0);
  if (option.kind === 'duration') return parse_duration(text) ?? 0;
  if (option.kind === 'durations') return parts_of(text).map((one) => parse_duration(one) ?? 0);
  if (option.kind === 'list') return parts_of(text);
  if (option.kind === 'pairs')
    return parts_of(text).map((one) => ({
      category: one.slice(0, one.indexOf('=')),
      queue: one.slice(one.indexOf('=') + 1),
    }));
  if (option.kind === 'flag') return text === 'true';
  return text;
}

type Texts = Record<string, string>;
const texts_of = (options: QueueOptions | null): Texts =>
  Object.fromEntries(OPTIONS.map((one) => [one.path, text_of(one, member(options, one.path))]));

// What a retry policy's kind does not use must not be there.
function retry_of(texts: Texts): Record<string, unknown> {
  const uses: Record<string, string[]> = {
    immediate: [],
    fixed: ['base', 'jitter'],
    exponential: ['base', 'cap', 'jitter'],
    stages: ['stages', 'jitter'],
  };
  const kind = texts['retry.kind'] || 'immediate';
  const made: Record<string, unknown> = { kind };
  for (const name of uses[kind] ?? []) {
    const option = OPTIONS.find((one) => one.path === `retry.${name}`)!;
    if (texts[option.path]) made[name] = value_of(option, texts[option.path]);
  }
  return made;
}

// Members of members go whole, with what of them is not in the form as it is.
function changes_of(before: Texts, after: Texts, options: QueueOptions | null): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const option of OPTIONS) {
    if (before[option.path] === after[option.path]) continue;
    const [name, inner] = option.path.split('.');
    if (name === 'retry') changes.retry = retry_of(after);
    else if (inner === undefined) changes[name] = value_of(option, after[option.path]);
    else
      changes[name] = {
        ...(member(options, name) as object | undefined),
        ...(changes[name] as object | undefined),
        [inner]: value_of(option, after[option.path]),
      };
  }
  return changes;
}

interface OptionsFormProps {
  name: string;
  on_name?: (name: string) => void; // to create one
  options: QueueOptions | null;
  on_done: () => void;
}

export function OptionsForm({ name, on_name, options, on_done }: OptionsFormProps) {
  const now = use_store(session);
  const [before, set_before] = useState<Texts>(() => texts_of(options));
  const [texts, set_texts] = useState<Texts>(before);
  const [warnings, set_warnings] = useState<string[]>([]);
  const [busy, set_busy] = useState(false);
  const set = (path: string) => (value: string) => set_texts((all) => ({ ...all, [path]: value }));
  const changes = changes_of(before, texts, options);
  const count = Object.keys(changes).length;
  const wrong = OPTIONS.find((one) => wrong_of(one, texts[one.path]));
  const bad_name =
    on_name && name !== '' && !/^[A-Za-z0-9._-]{1,128}$/.test(name)
      ? 'Letters, digits, dots, underscores and dashes; at most 128.'
      : undefined;
  const reason =
    why_not(now, 'administer', name) ??
    bad_name ??
    (on_name && name === '' ? 'It needs a name.' : undefined) ??
    (wrong && `${wrong.label}: ${wrong_of(wrong, texts[wrong.path])}`) ??
    (!on_name && count === 0 ? 'Nothing is changed.' : undefined);
  const save = async () => {
    set_busy(true);
    try {
      const answer = on_name
        ? await call('createQueue', { path: { name }, body: changes })
        : await call('alterQueue', { path: { name }, body: changes });
      set_warnings(answer.warnings ?? []);
      set_before(texts);
      say(on_name ? (answer.created ? `${name} is there.` : `${name} was there already.`) : `${name} is changed.`);
      for (const warning of answer.warnings ?? []) say(warning, 'warning');
      on_done();
    } catch (failure) {
      say_wrong(failure);
    }
    set_busy(false);
  };
  const simulate = new URLSearchParams({
    kind: texts['retry.kind'],
    base: texts['retry.base'],
    cap: texts['retry.cap'],
    jitter: texts['retry.jitter'],
    stages: texts['retry.stages'],
    maxDeliveries: texts.maxDeliveries,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) void save();
      }}
    >
      {on_name && (
        <div class="form">
          <Input label="Name" value={name} on_change={on_name} error={bad_name} />
        </div>
      )}
      {GROUPS.map(([title, group]) => (
        <fieldset>
          <legend>{title}</legend>
          <div class="form">
            {group.map((option) => {
              const value = texts[option.path];
              const label = option.label + (before[option.path] !== value ? ' •' : '');
              if (option.kind === 'flag')
                return (
                  <Check
                    label={label}
                    value={value === 'true'}
                    on_change={(on) => set(option.path)(String(on))}
                    hint={option.hint}
                  />
                );
              if (option.kind === 'choice')
                return (
                  <Select
                    label={label}
                    value={value}
                    on_change={set(option.path)}
                    choices={option.choices!}
                    hint={option.hint}
                  />
                );
              return (
                <Input
                  label={label}
                  value={value}
                  on_change={set(option.path)}
                  hint={option.hint}
                  error={wrong_of(option, value)}
                />
              );
            })}
          </div>
          {title === 'Retries' && (
            <p>
              <a href={`/simulate?${simulate}`}>See what this policy does</a> before it is used.
            </p>
          )}
        </fieldset>
      ))}
      {warnings.length > 0 && (
        <ul class="note warning" role="alert">
          {warnings.map((one) => (
            <li>{visible(one)}</li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <Button on_click={() => set_texts(before)} reason={count === 0 ? 'Nothing is changed.' : undefined}>
          As it was
        </Button>
        <Button submit kind="main" reason={reason} busy={busy}>
          {on_name ? 'Create the queue' : `Change ${count === 1 ? '1 option' : `${count} options`}`}
        </Button>
      </div>
    </form>
  );
}
