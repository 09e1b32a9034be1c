// `Why` shows why a message died: what its consumer said, and the output that it had made so far.
import type { FailureRecord, Rejection } from '../api/schema';
import { BodyView } from '../edits/body_view';
import { Card } from '../parts/controls';
import { word_of } from '../parts/format';
import { Text, visible } from '../parts/text';
import { Facts } from './facts';

function Causes({ of }: { of: Rejection['causes'] }) {
  if (!of?.length) return null;
  return (
    <>
      <h3>Caused by</h3>
      <ol class="causes">
        {of.map((one) => (
          <li>
            <b class="mono">
              <Text of={one.code} empty="" />
            </b>{' '}
            {visible(one.message ?? '', true)}
          </li>
        ))}
      </ol>
    </>
  );
}

function StackTrace({ of }: { of: string }) {
  return (
    <details open>
      <summary>Stack trace</summary>
      <pre class="body-text" tabIndex={0}>
        {visible(of, true)}
      </pre>
    </details>
  );
}

function PartialOutput({ of: { partialOutput: body, partialOutputBase64: bodyBase64 } }: { of: Rejection }) {
  if (!body && !bodyBase64) return null;
  return (
    <details>
      <summary>Partial output</summary>
      <BodyView of={{ body, bodyBase64 }} name="partial-output" />
    </details>
  );
}

export function Why({ record, hides_output }: { record: FailureRecord; hides_output: boolean }) {
  const rejection = record.rejection ?? {};
  return (
    <Card title="Why" wide>
      <p class="reason-text">
        {rejection.reason ? (
          visible(rejection.reason, true)
        ) : (
          <span class="faint">No reason was given: {word_of(record.cause)}.</span>
        )}
      </p>
      <Facts
        rows={[
          ['Cause', word_of(record.cause)],
          ['Category', <Text of={rejection.category} />],
          ['Code', <Text of={rejection.code} mono />],
          ['Group', <span class="mono">{record.fingerprint}</span>],
        ]}
      />
      <Causes of={rejection.causes} />
      {rejection.stackTrace && <StackTrace of={rejection.stackTrace} />}
      {hides_output && <p class="note warning">If there was partial output, it is hidden from this token.</p>}
      <PartialOutput of={rejection} />
    </Card>
  );
}
