// The options of a queue as fields of a form, and what a form that was changed asks for.
import type { QueueOptions } from '../api/schema';
import type { Choice } from '../parts/controls';
import { text_of, value_of, wrong_of, type FieldSpec, type Texts } from '../parts/field_values';

const words = (...names: string[]): Choice[] =>
  names.map((one) => [one, one.replace(/[A-Z]/g, (c) => ' ' + c.toLowerCase())] as const);

// Returns the fields of one alert rule: its limit, its severity, and when it fires and clears.
function alert_fields(name: string, label: string, fallback: unknown, of: Partial<FieldSpec>): FieldSpec[] {
  const kind = of.kind ?? 'whole';
  const terms = `alerts.${name}Terms`;
  return [
    { name: `alerts.${name}`, label: `${label} above`, kind, fallback, optional: true, hint: 'Empty: never.', ...of },
    {
      name: `${terms}.severity`,
      label: `${label}: severity`,
      kind: 'choice',
      choices: words('usual', 'warning', 'critical'),
      fallback: 'usual',
    },
    { name: `${terms}.fireAfter`, label: `${label}: fires after`, kind: 'duration', fallback: 0 },
    { name: `${terms}.clearAt`, label: `${label}: clears at`, kind, optional: true, hint: 'Empty: where it fires.' },
    { name: `${terms}.clearAfter`, label: `${label}: clears after`, kind: 'duration', fallback: 60 },
  ];
}

export const OPTION_GROUPS: [title: string, fields: FieldSpec[], folded?: boolean][] = [
  [
    'Failures',
    [
      {
        name: 'maxDeliveries',
        label: 'Max deliveries',
        kind: 'whole',
        fallback: 5,
        hint: 'A message dies after this many deliveries without an ack.',
      },
      {
        name: 'deadLetterQueue',
        label: 'Dead letter queue',
        kind: 'text',
        hint: 'Empty: none. A failing message is then retried for ever.',
      },
      {
        name: 'deadLetterRoutes',
        label: 'Routes of categories',
        kind: 'pairs',
        pair: ['category', 'queue'],
        hint: 'Messages that die with this category go to the queue beside it.',
      },
      { name: 'lease', label: 'Lease', kind: 'duration', fallback: 30 },
      {
        name: 'retryBudget',
        label: 'Retry budget',
        kind: 'duration',
        fallback: 0,
        hint: 'A message dies if it still fails this long after its first failure. 0: no limit.',
      },
      {
        name: 'discardRejected',
        label: 'Discard rejected messages if there is no dead letter queue',
        kind: 'flag',
        fallback: false,
      },
      {
        name: 'brake.deathsPerMinute',
        label: 'Brake above deaths a minute',
        kind: 'whole',
        fallback: 0,
        hint: '0: never.',
      },
      { name: 'brake.delay', label: 'Wait while braked', kind: 'duration', fallback: 30 },
    ],
  ],
  [
    'Retries',
    [
      {
        name: 'retry.kind',
        label: 'Wait',
        kind: 'choice',
        choices: words('immediate', 'fixed', 'exponential', 'stages'),
        fallback: 'immediate',
      },
      { name: 'retry.base', label: 'First wait', kind: 'duration', hint: 'For fixed and exponential.' },
      { name: 'retry.cap', label: 'Longest wait', kind: 'duration', hint: 'For exponential.' },
      {
        name: 'retry.jitter',
        label: 'Jitter',
        kind: 'number',
        most: 1,
        hint: 'Each wait is shortened at random by up to this share, 0 to 1.',
      },
      { name: 'retry.stages', label: 'Stages', kind: 'durations', hint: 'For stages, such as 1s, 10s, 1m.' },
      {
        name: 'retry.to',
        label: 'A retried message returns',
        kind: 'choice',
        choices: [
          ['head', 'to its place'],
          ['tail', 'behind all others'],
        ],
        fallback: 'head',
      },
    ],
  ],
  [
    'Messages',
    [
      { name: 'delay', label: 'Delay', kind: 'duration', fallback: 0 },
      { name: 'timeToLive', label: 'Time to live', kind: 'duration', fallback: 0, hint: '0: for ever.' },
      {
        name: 'onExpiry',
        label: 'When it expires',
        kind: 'choice',
        choices: words('deadLetter', 'drop'),
        fallback: 'deadLetter',
      },
      {
        name: 'durability',
        label: 'Durability',
        kind: 'choice',
        choices: words('fsync', 'buffered'),
        fallback: 'fsync',
      },
      {
        name: 'grouping',
        label: 'Groups',
        kind: 'choice',
        choices: words('none', 'ordered', 'fair'),
        fallback: 'none',
      },
      { name: 'requireGroup', label: 'Refuse sends without a group', kind: 'flag', fallback: false },
      { name: 'priorities', label: 'Priorities', kind: 'whole', fallback: 1 },
      {
        name: 'priorityAging',
        label: 'Priority aging',
        kind: 'duration',
        fallback: 0,
        hint: 'A message that is older by this much goes before those one level higher. 0: never.',
      },
      {
        name: 'deduplication',
        label: 'Deduplication',
        kind: 'choice',
        choices: words('none', 'byId', 'byContent'),
        fallback: 'none',
      },
      { name: 'deduplicationWindow', label: 'Deduplication window', kind: 'duration', fallback: 300 },
      {
        name: 'tags',
        label: 'Tags',
        kind: 'pairs',
        pair: ['name', 'value'],
        hint: 'Your own labels, such as team and payments.',
      },
    ],
  ],
  [
    'Bounds',
    [
      { name: 'maxLength', label: 'Most messages', kind: 'whole', fallback: 0, hint: '0: any number.' },
      { name: 'maxBytes', label: 'Most bytes', kind: 'whole', fallback: 0, hint: '0: any number.' },
      {
        name: 'onOverflow',
        label: 'When it is full',
        kind: 'choice',
        choices: words('rejectSend', 'deadLetterHead', 'dropHead'),
        fallback: 'rejectSend',
      },
      { name: 'maxLeased', label: 'Most leased', kind: 'whole', fallback: 0, hint: '0: any number.' },
      { name: 'maxBodyBytes', label: 'Largest body', kind: 'whole', fallback: 1048576 },
      { name: 'journal.maxEntries', label: 'Journal entries', kind: 'whole', fallback: 0, hint: '0: no journal.' },
      {
        name: 'journal.keep',
        label: 'Journal remembers',
        kind: 'duration',
        fallback: 0,
        hint: '0: as long as there is room.',
      },
    ],
  ],
  [
    'As a dead letter queue',
    [
      { name: 'parkingQueue', label: 'Parking queue', kind: 'text' },
      {
        name: 'searchedAttributes',
        label: 'Searched attributes',
        kind: 'list',
        hint: 'Letters that die from now on are found at once by the values of these attributes.',
      },
      {
        name: 'deadLetterSources.allow',
        label: 'Who may dead-letter here',
        kind: 'choice',
        choices: words('all', 'none', 'listed'),
        fallback: 'all',
      },
      { name: 'deadLetterSources.queues', label: 'Listed queues', kind: 'list', hint: 'One queue in each row.' },
      { name: 'keepReplayed', label: 'Keep replayed', kind: 'duration', fallback: 7776000 },
      { name: 'keepAbandoned', label: 'Keep abandoned', kind: 'duration', fallback: 31536000 },
      {
        name: 'keepUnresolved',
        label: 'Keep unresolved',
        kind: 'duration',
        fallback: 0,
        hint: '0: until somebody resolves it.',
      },
      {
        name: 'directSends',
        label: 'Accept sends, and make each message a dead letter at once',
        kind: 'flag',
        fallback: false,
      },
    ],
  ],
  [
    'Automatic redrive',
    [
      { name: 'autoRedrive.every', label: 'Every', kind: 'duration', fallback: 0, hint: '0: never.' },
      { name: 'autoRedrive.max', label: 'At most, each time', kind: 'whole', fallback: 100 },
      {
        name: 'autoRedrive.categories',
        label: 'Only these categories',
        kind: 'list',
        may_be_empty: true,
        hint: 'No row: all. An empty row: letters without a category.',
      },
      {
        name: 'autoRedrive.backoff',
        label: 'First after',
        kind: 'duration',
        fallback: 60,
        hint: 'Doubled with each replay.',
      },
      { name: 'autoRedrive.backoffMax', label: 'At most after', kind: 'duration', fallback: 3600 },
      { name: 'autoRedrive.maxReplays', label: 'Stop after this many replays', kind: 'whole', fallback: 3 },
      {
        name: 'autoRedrive.giveUpAfter',
        label: 'Stop after failing for',
        kind: 'duration',
        fallback: 0,
        hint: '0: no bound.',
      },
      {
        name: 'autoRedrive.onGiveUp',
        label: 'What happens to it then',
        kind: 'choice',
        choices: words('park', 'archive'),
        fallback: 'park',
      },
    ],
  ],
  [
    'Alerts',
    [
      ...alert_fields('depth', 'Dead letters', 0, {}),
      ...alert_fields('depthHigh', 'Many dead letters', 100, {}),
      ...alert_fields('depthCritical', 'Too many dead letters', 1000, {}),
      ...alert_fields('arrivals', 'Arrivals a minute', 10, {}),
      ...alert_fields('oldest', 'Age of the oldest', 86400, { kind: 'duration' }),
      ...alert_fields('unassigned', 'Age of the unassigned', 172800, { kind: 'duration' }),
      { name: 'alerts.arrivalsFor', label: 'Arrivals: in each of the last', kind: 'duration', fallback: 300 },
    ],
    true,
  ],
];
export const OPTION_FIELDS = OPTION_GROUPS.flatMap(([, fields]) => fields);

// DEPTHS are the alerts on the depth, in the order in which they should fire.
const DEPTHS = ['alerts.depth', 'alerts.depthHigh', 'alerts.depthCritical'];

// Describes settings that the server takes but that are probably a mistake, each in a sentence.
export function doubts_in(texts: Texts): string[] {
  const set = OPTION_FIELDS.filter((one) => DEPTHS.includes(one.name) && texts[one.name] && !wrong_of(one, texts[one.name]!));
  return set.slice(1).flatMap(({ name, label }, i) => {
    const before = set[i]!;
    if (Number(texts[before.name]) < Number(texts[name])) return [];
    return [`“${before.label}” is ${texts[before.name]} and “${label}” is ${texts[name]}, so the first does not fire before the second.`];
  });
}

type Tree = { [name: string]: unknown };

const member = (of: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (at as Tree | null | undefined)?.[name], of);

export const texts_of = (options: QueueOptions | null): Texts =>
  Object.fromEntries(OPTION_FIELDS.map((one) => [one.name, text_of(one, member(options, one.name.split('.')))]));

// Merges changes that were made elsewhere while the form was open. Typed texts stay, and all other fields take the new
// value.
export function merged(before: Texts, texts: Texts, now: Texts): { before: Texts; texts: Texts; others: string[] } {
  const is_typed = (name: string) => texts[name] !== before[name];
  return {
    before: now,
    texts: Object.fromEntries(Object.keys(now).map((name) => [name, is_typed(name) ? texts[name]! : now[name]!])),
    others: OPTION_FIELDS.filter(({ name }) => now[name] !== before[name] && now[name] !== texts[name]).map((one) => one.label),
  };
}

// A retry policy must not have members that its kind does not use, so they are left out. A member that was typed all
// the same goes to the server, which refuses it. A member that was not changed goes as the queue has it.
function retry_of(before: Texts, texts: Texts, options: QueueOptions | null): Tree {
  const uses: Record<string, string[]> = {
    immediate: [],
    fixed: ['base', 'jitter'],
    exponential: ['base', 'cap', 'jitter'],
    stages: ['stages', 'jitter'],
  };
  const kind = texts['retry.kind'] || 'immediate';
  const made: Tree = { kind };
  for (const name of ['base', 'cap', 'jitter', 'stages', 'to']) {
    const field = OPTION_FIELDS.find((one) => one.name === `retry.${name}`)!;
    const is_typed = texts[field.name] && texts[field.name] !== before[field.name];
    if (name !== 'to' && !uses[kind]?.includes(name) && !is_typed) continue;
    const kept = member(options, ['retry', name]);
    if (texts[field.name] === before[field.name] && kept !== undefined) made[name] = kept;
    else if (texts[field.name]) made[name] = value_of(field, texts[field.name]!);
  }
  return made;
}

function with_member(of: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return { ...(of as Tree | undefined), [name]: with_member((of as Tree | undefined)?.[name], rest, value) };
}

// Returns only the options that were changed. An option that has members goes whole, with its unchanged members as they
// are.
export function changes_of(before: Texts, after: Texts, options: QueueOptions | null): Tree {
  const changes: Tree = {};
  for (const field of OPTION_FIELDS) {
    if (before[field.name] === after[field.name]) continue;
    const [name, ...path] = field.name.split('.') as [string, ...string[]];
    if (name === 'retry') changes.retry = retry_of(before, after, options);
    else
      changes[name] = with_member(changes[name] ?? member(options, [name]), path, value_of(field, after[field.name]!));
  }
  return changes;
}
