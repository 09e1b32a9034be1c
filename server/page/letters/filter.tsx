// The filter of dead letters. The address has it, so that it can be sent to somebody.
import { change_query } from '../router';
import { Button, Input, Select, type Choice } from '../parts/controls';
import { CAUSES, changes_by_form, STATUSES, wrong_in_filter } from './filter_query';
import { duration_text, parse_duration, parse_time, word_of } from '../parts/format';
import { value_name, visible } from '../parts/text';
import { use_fresh } from '../parts/use_fresh';

const NAMES: Record<string, string> = {
  category: 'category',
  code: 'code',
  source: 'from',
  consumerVersion: 'consumer version',
  assignee: 'assignee',
  fingerprint: 'group',
  reason: 'reason has',
  attributes: 'attribute',
  correlationId: 'correlation id',
  correlationIdBase64: 'correlation id (base64)',
  workflowVersion: 'workflow version',
  workflowVersionBase64: 'workflow version (base64)',
  minReplays: 'replays at least',
  body: 'body has',
  cause: 'cause',
  status: 'status',
  newer: 'died within',
  diedFrom: 'died from',
  diedBefore: 'died before',
  history: 'with history',
  seqs: 'numbers',
  ids: 'chosen',
};
const FILTER_NAMES = Object.keys(NAMES);

// Adds the current value to the choices if only an address can have it, so that it is visible.
const with_value = (choices: readonly Choice[], value: string, text: string): readonly Choice[] =>
  choices.some(([one]) => one === value) ? choices : [...choices, [value, text]];

const choices_of = (values: readonly string[], value: string, word: (one: string) => string): readonly Choice[] =>
  with_value([['', 'any'], ...values.map((one) => [one, word(one)] as const)], value, `“${value}”`);

const AGES: readonly Choice[] = [
  ['', 'any time'],
  ['10m', 'last 10 minutes'],
  ['1h', 'last hour'],
  ['6h', 'last 6 hours'],
  ['1d', 'last day'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
];

// Returns only the members of a query that belong to the filter.
export function only_filter(query: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams();
  for (const name of FILTER_NAMES) if (query.has(name)) kept.set(name, query.get(name)!);
  return kept;
}

function value_text(name: string, value: string): string {
  if (name === 'newer') return duration_text(parse_duration(value) ?? 0);
  if (name === 'cause') return word_of(value);
  if (name === 'ids') return `${value.split(',').length} by hand`;
  return value_name(value);
}

export function FilterChips({ query, fixed }: { query: URLSearchParams; fixed?: boolean }) {
  const names = FILTER_NAMES.filter((name) => query.has(name));
  if (names.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {names.map((name) => (
        <li>
          <span class="faint">{NAMES[name]}</span>
          {name !== 'history' && (
            <>
              {' '}
              <b>{visible(value_text(name, query.get(name)!))}</b>
            </>
          )}
          {!fixed && (
            <button
              type="button"
              aria-label={`Remove the filter ${NAMES[name]}`}
              onClick={() => change_query({ [name]: null })}
            >
              ✕
            </button>
          )}
        </li>
      ))}
      {!fixed && names.length > 1 && (
        <li class="bare">
          <Button kind="quiet" on_click={() => change_query(Object.fromEntries(names.map((one) => [one, null])))}>
            Remove all
          </Button>
        </li>
      )}
    </ul>
  );
}

type Values = Record<string, string>;

const from_query = (query: URLSearchParams): Values =>
  Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name) ?? '']));

export function FilterForm({
  query,
  sources,
  categories,
}: {
  query: URLSearchParams;
  sources: string[];
  categories: string[];
}) {
  const [values, change] = use_fresh<Values>(query.toString(), () => from_query(query));
  const set = (name: string) => (value: string) => change((before) => ({ ...before, [name]: value }));
  const apply = (event: Event) => {
    event.preventDefault();
    const { ids, ...shown } = values;
    change_query(changes_by_form(query, shown));
  };
  const wrong = wrong_in_filter(new URLSearchParams(values));
  const time_wrong = (name: string) =>
    values[name] && parse_time(values[name]!) === null ? 'This is not a time.' : undefined;
  return (
    <form class="filters" onSubmit={apply} aria-label="Filter">
      <Input
        label="Category"
        value={values.category}
        on_change={set('category')}
        list={categories.filter(Boolean)}
        auto_focus
      />
      <Input label="Reason has" value={values.reason} on_change={set('reason')} />
      <Input label="Code" value={values.code} on_change={set('code')} />
      <Select
        label="Status"
        value={values.status}
        on_change={set('status')}
        choices={choices_of(STATUSES, values.status!, (one) => one)}
      />
      <Input label="From queue" value={values.source} on_change={set('source')} list={sources} />
      <Input label="Consumer version" value={values.consumerVersion} on_change={set('consumerVersion')} />
      <Input label="Assignee" value={values.assignee} on_change={set('assignee')} />
      <Select
        label="Cause"
        value={values.cause}
        on_change={set('cause')}
        choices={choices_of(CAUSES, values.cause!, word_of)}
      />
      <Select
        label="Died"
        value={values.newer}
        on_change={set('newer')}
        choices={with_value(AGES, values.newer!, value_text('newer', values.newer!))}
      />
      <Input
        label="Died from (UTC)"
        value={values.diedFrom}
        on_change={set('diedFrom')}
        placeholder="2026-03-01T09:30:00Z"
        error={time_wrong('diedFrom')}
      />
      <Input
        label="Died before (UTC)"
        value={values.diedBefore}
        on_change={set('diedBefore')}
        placeholder="2026-03-01T10:00:00Z"
        error={time_wrong('diedBefore')}
      />
      <Input
        label="Attribute"
        value={values.attributes}
        on_change={set('attributes')}
        placeholder="customer=4711"
      />
      <Input label="Correlation id" value={values.correlationId} on_change={set('correlationId')} />
      <Input label="Workflow version" value={values.workflowVersion} on_change={set('workflowVersion')} />
      <Input label="Replays, at least" value={values.minReplays} on_change={set('minReplays')} />
      <Input label="Body has (slow, reads each one)" value={values.body} on_change={set('body')} />
      <Input label="Group (fingerprint)" value={values.fingerprint} on_change={set('fingerprint')} />
      <Input label="Numbers" value={values.seqs} on_change={set('seqs')} placeholder="17,18" />
      <Select
        label="History"
        value={values.history}
        on_change={set('history')}
        choices={[
          ['', 'left out'],
          ['true', 'shown too'],
        ]}
      />
      <div class="end">
        <Button submit kind="main" reason={wrong}>
          Filter
        </Button>
      </div>
    </form>
  );
}
