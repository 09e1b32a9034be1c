// Journal shows where the message of a dead letter has been.
import { call } from '../api/client';
import type { HistoryStep } from '../api/schema';
import { may_everywhere, session } from '../api/session';
import { Card, Wrong } from '../parts/controls';
import { time_text, word_of } from '../parts/format';
import { Text, visible } from '../parts/text';
import { Unknown, why_unknown } from '../parts/unknown';
import { use_api } from '../parts/use_api';
import { use_store } from '../store';

const Where = ({ of: { queue, to } }: { of: HistoryStep }) =>
  to ? (
    <>
      from <Text of={queue} /> to <Text of={to} />
    </>
  ) : (
    <>
      in <Text of={queue} />
    </>
  );

function HistoryStepRow({ of: one }: { of: HistoryStep }) {
  return (
    <li class={one.kind === 'deadLettered' ? 'dead' : one.kind === 'acked' ? 'acked' : ''}>
      <time>{time_text(one.at)}</time>
      <span>
        {word_of(one.kind)} <Where of={one} />
        {one.consumer?.instance && (
          <>
            {' '}
            · <Text of={one.consumer.instance} /> <Text of={one.consumer.version} empty="" />
          </>
        )}
        {one.reason && <div class="sub">{visible(one.reason)}</div>}
      </span>
    </li>
  );
}

export function Journal({ id }: { id: string }) {
  const history = use_api(id, (signal) => call('messageHistory', { path: { id }, signal }), { every: 15000 });
  const sees_all = may_everywhere(use_store(session), 'operate');
  const unknown = why_unknown(history);
  const steps: HistoryStep[] = history.data?.steps ?? [];
  return (
    <Card title="Journal">
      {steps.length === 0 && unknown !== undefined && <Unknown because={unknown} />}
      {steps.length === 0 && unknown === undefined && sees_all && (
        <p class="faint">No queue that it was in keeps a journal, or its entries are too old.</p>
      )}
      {!sees_all && <p class="faint">Steps in queues that this token may not operate are not shown to it.</p>}
      {steps.length > 0 && <Wrong error={history.error} />}
      {steps.length > 0 && (
        <ol class="timeline">
          {history.data?.truncated && (
            <li class="gap">
              <time />
              <span>earlier steps are left out</span>
            </li>
          )}
          {steps.map((one) => (
            <HistoryStepRow of={one} />
          ))}
        </ol>
      )}
    </Card>
  );
}
