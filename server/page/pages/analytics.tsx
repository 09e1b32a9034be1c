// Analytics shows what fails, by what, and when. It has tables and charts, and both as CSV.
import { CrossTable } from '../analytics/cross_table';
import { BY, SPANS, type By, type Question } from '../analytics/question';
import { read, type Told } from '../analytics/read';
import { Series } from '../analytics/series';
import { knows_all, session } from '../api/session';
import { Card, Check, Loading, Select, Wrong } from '../parts/controls';
import { plural } from '../parts/format';
import { visible } from '../parts/text';
import { use_api } from '../parts/use_api';
import { dead_letter_queues } from '../queues/routes';
import { use_queues } from '../queues/queues';
import { change_query, use_place } from '../router';
import { use_store } from '../store';

function question_of(query: URLSearchParams, names: string[]): Question {
  const span = query.get('span') ?? '';
  return {
    queue: query.get('queue') ?? names[0] ?? '',
    of: (query.get('of') ?? 'category') as By,
    against: (query.get('against') ?? 'consumerVersion') as By,
    span: span in SPANS ? span : '7d',
    history: query.get('history') === 'true',
    all: query.get('all') === 'true',
  };
}

function QuestionForm({ question, names }: { question: Question; names: string[] }) {
  const { queue, of, against, span, history } = question;
  return (
    <Card title="Question" wide>
      <div class="form">
        <Select
          label="Dead letter queue"
          value={queue}
          on_change={(one) => change_query({ queue: one })}
          choices={(names.includes(queue) || !queue ? names : [queue, ...names]).map((one) => [one, one] as const)}
        />
        <Select label="Share of each" value={of} on_change={(one) => change_query({ of: one })} choices={BY} />
        <Select label="By" value={against} on_change={(one) => change_query({ against: one })} choices={BY} />
        <Select
          label="Died"
          value={span}
          on_change={(one) => change_query({ span: one })}
          choices={Object.entries(SPANS).map(([one, [text]]) => [one, text] as const)}
        />
        <Check
          wide
          label="With history: what was redriven or discarded since"
          value={history}
          on_change={(on) => change_query({ history: on ? 'true' : null })}
        />
      </div>
    </Card>
  );
}

function Answer({ told, question }: { told: Told; question: Question }) {
  const { queue, span, history } = question;
  const when = `in the ${SPANS[span]![0]}`;
  if (told.total === 0 && told.complete)
    return (
      <p>
        No dead letter of {visible(queue)} died {when}.{' '}
        <span class="faint">Choose a longer time{!history && ', or include history'}.</span>
      </p>
    );
  return (
    <>
      <p>
        {plural(told.total, 'dead letter')} of {visible(queue)} died {when}.
        {!told.complete && ' Only the first million that may match were looked at.'}
      </p>
      {told.total > 0 && (
        <>
          <CrossTable told={told} question={question} />
          <Series told={told} question={question} />
        </>
      )}
    </>
  );
}

export function Analytics() {
  const { query } = use_place();
  const now = use_store(session);
  const queues = use_queues();
  const names = dead_letter_queues(queues.data ?? [])
    .sort((a, b) => b.counts.dead - a.counts.dead)
    .map((one) => one.name ?? '');
  const question = question_of(query, names);
  const { queue } = question;
  const told = use_api(queue ? JSON.stringify(question) : null, (signal) => read(question, signal), {
    every: 60000,
    after: (event) => event.target === queue,
  });
  return (
    <>
      <h1>Analytics</h1>
      <QuestionForm question={question} names={names} />
      <Wrong error={told.error ?? queues.error} />
      {queue === '' && queues.data && (
        <p class="faint">
          {knows_all(now) ? 'There is no dead letter queue yet.' : 'There is no dead letter queue that this token may see.'}
        </p>
      )}
      {told.loading && queue !== '' && <Loading />}
      {told.data && <Answer told={told.data} question={question} />}
    </>
  );
}
