// What a person looks at before an edited letter goes: what was changed, by whom else, and where it can go.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { DeadLetter } from '../api/schema';
import { lines_of, ordered_as } from './attribute_lines';
import { Select, Wrong } from '../parts/controls';
import { BodyDiff } from './body_diff';
import type { Bytes } from './body_view';
import type { Try } from './tries';
import { iso, time_text } from '../parts/format';
import { Diff } from './diff';
import { GONE } from '../letters/meanwhile';
import { use_queue_names } from '../queues/queues';
import { Text, visible } from '../parts/text';

interface MeanwhileProps {
  changes: string[];
  gone: boolean;
  lost: Try | null; // whose answer was lost
  // With the edit as it is; the same, but for the server it would be another one; or with the edit as it was before.
  how: 'same' | 'forgotten' | 'other';
}

const WHAT_LOST = {
  same: 'Another try is answered as the first one, and sends nothing twice.',
  forgotten: 'That is more than five minutes ago, so the server does not know the try any more.',
  other: 'The edit was changed since.',
};
const ANEW = 'Another try looks at the letter first, and is sent anew.';

// What others did about it since it was seen, or what one's own try may have done.
export function Meanwhile(props: MeanwhileProps) {
  const { lost, how, gone } = props;
  if (!lost) return <ByOthers {...props} />;
  return (
    <>
      <p class="note warning" role="alert">
        The answer of the server was lost: the edit was sent at {time_text(iso(lost.at))}, and may have gone. {WHAT_LOST[how]}{' '}
        {how !== 'same' && !gone && ANEW}
      </p>
      {how !== 'same' && <ByOthers {...props} />}
    </>
  );
}

function ByOthers({ changes, gone, lost, how }: MeanwhileProps) {
  if (gone)
    return (
      <p class="note critical" role="alert">
        {GONE}{' '}
        {lost
          ? `It may have gone by the try whose answer was lost${how === 'other' ? ', as the edit was then' : ''}.`
          : 'Somebody redrove, parked or discarded it meanwhile.'}{' '}
        What was typed here stays, and can be copied.
      </p>
    );
  if (changes.length === 0) return null;
  return (
    <div class="note warning" role="alert">
      This letter was changed since the edit began.
      <ul>
        {changes.map((one) => (
          <li>{visible(one)}</li>
        ))}
      </ul>
    </div>
  );
}

interface ComparisonProps {
  letter: DeadLetter;
  body: Bytes | undefined; // undefined: it is as it was
  patch: string | undefined; // of the body
  attributes: string;
  assignee: string | undefined;
  to: string; // empty: where it came from
}

export function Comparison({ letter, body, patch, attributes, assignee, to }: ComparisonProps) {
  const were = lines_of(letter.attributes);
  const head = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => head.current!.focus(), []);
  return (
    <>
      <h3 ref={head} tabIndex={-1}>
        Body
      </h3>
      {patch !== undefined ? (
        <pre class="body-text" tabIndex={0} aria-label="JSON Patch">
          {visible(patch, true)}
        </pre>
      ) : (
        <BodyDiff before={letter} after={body ?? letter} />
      )}
      <h3>Attributes</h3>
      <Diff label="Original and edited attributes" before={were} after={ordered_as(were, attributes)} />
      <p class="faint">
        The original stays with the record. The message goes{' '}
        {to ? <>to {visible(to)}</> : <>back to {letter.record?.sourceQueue}</>}.
        {assignee && (
          <>
            {' '}
            The letter is assigned to <Text of={assignee} />.
          </>
        )}
      </p>
    </>
  );
}

// Where it can go instead, once the queue that it came from is found to be gone.
export function OtherTarget({ queue, to, on_change }: { queue: string; to: string; on_change: (to: string) => void }) {
  const { names, error } = use_queue_names();
  const others = names.filter((one) => one !== queue);
  return (
    <>
      <p class="note warning" role="alert">
        The queue that it came from is deleted. It can go to another one.
      </p>
      <Select
        label="Send it to"
        value={to}
        on_change={on_change}
        choices={[['', 'choose one'], ...others.map((one) => [one, one] as const)]}
      />
      <Wrong error={error} what="The queues are not known" />
    </>
  );
}
