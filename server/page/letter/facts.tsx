// Facts show what is known of a dead letter, as names with values.
import type { ComponentChildren } from 'preact';
import type { DeadLetter, FailureRecord } from '../api/schema';
import { Card } from '../parts/controls';
import { age_text, count_text, time_text } from '../parts/format';
import { Text } from '../parts/text';

export type Fact = [name: string, value: ComponentChildren];

export function Facts({ rows }: { rows: Fact[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const When = ({ at }: { at: string | undefined }) =>
  at ? (
    <span title={age_text(at)}>
      {time_text(at)} <span class="faint age">({age_text(at)})</span>
    </span>
  ) : (
    <span class="faint">—</span>
  );

const from_of = ({ sourceQueue }: FailureRecord) => (
  <a href={`/queues/${sourceQueue}`}>
    <Text of={sourceQueue} />
  </a>
);

const consumer_of = ({ consumer }: FailureRecord) => (
  <>
    <Text of={consumer?.instance} /> <Text of={consumer?.version} empty="" />
  </>
);

export function WhoAndWhen({ letter, record }: { letter: DeadLetter; record: FailureRecord }) {
  const if_any = (name: string, value: string | undefined): Fact[] => (value ? [[name, <Text of={value} />]] : []);
  return (
    <Card title="Who and when">
      <Facts
        rows={[
          ['From', from_of(record)],
          ['Sent', <When at={record.sentAt} />],
          ['First failure', <When at={record.firstFailedAt} />],
          ['Died', <When at={record.diedAt} />],
          ['Consumer', consumer_of(record)],
          ['Correlation id', <Text of={record.correlationId ?? record.correlationIdBase64} mono />],
          ...if_any('Workflow version', record.workflowVersion),
          ...if_any('Message group', record.group),
          ['Visits to a dead letter queue', count_text(record.visits)],
          ['Message id', <span class="mono">{record.messageId}</span>],
          ['Dead letter id', <span class="mono">{letter.id}</span>],
        ]}
      />
    </Card>
  );
}
