// Attempts show the deliveries that failed before a message died.
import type { Attempt, FailureRecord, FirstDeath } from '../api/schema';
import { Card } from '../parts/controls';
import { count_text, duration_text, plural, time_text, word_of } from '../parts/format';
import { Text, visible } from '../parts/text';

function Failed({ of: one }: { of: Attempt }) {
  return (
    <li class="failed">
      <time>{time_text(one.failedAt)}</time>
      <span>
        {word_of(one.end)}
        {one.heldMillis ? ` after ${duration_text(one.heldMillis / 1000)}` : ''}
        {one.extended ? `, extended ${one.extended}×` : ''}
        {one.consumer?.instance && (
          <>
            {' '}
            · <Text of={one.consumer.instance} />
          </>
        )}
        {one.consumer?.version && <> {visible(one.consumer.version)}</>}
        {one.failure?.reason && <div class="sub">{visible(one.failure.reason)}</div>}
      </span>
    </li>
  );
}

const Between = ({ count }: { count: number }) => (
  <li class="gap">
    <time />
    <span>{count_text(count)} more in between</span>
  </li>
);

const DiedBefore = ({ of }: { of: FirstDeath }) => (
  <div class="note info">
    It died before, on {time_text(of.diedAt)}, from {visible(of.sourceQueue ?? '')}:{' '}
    <Text of={of.reason} empty={word_of(of.cause)} />
  </div>
);

const LAST = 5; // how many of the last attempts a record keeps

export function Attempts({ record }: { record: FailureRecord }) {
  const attempts = record.attempts ?? [];
  return (
    <Card
      title={`Attempts (${plural(record.deliveries, 'delivery', 'deliveries')}, ${plural(record.replays, 'replay')})`}
    >
      <ol class="timeline">
        <li>
          <time>{time_text(record.sentAt)}</time>
          <span>sent to {visible(record.sourceQueue ?? '')}</span>
        </li>
        {attempts.map((one, i) => (
          <>
            <Failed of={one} />
            {record.attemptsLeftOut > 0 && i === attempts.length - LAST - 1 && <Between count={record.attemptsLeftOut} />}
          </>
        ))}
        <li class="dead">
          <time>{time_text(record.diedAt)}</time>
          <span>died: {word_of(record.cause)}</span>
        </li>
      </ol>
      {record.firstDeath && <DiedBefore of={record.firstDeath} />}
    </Card>
  );
}
