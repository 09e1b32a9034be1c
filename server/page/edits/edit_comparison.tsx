// A person sees this before an edited letter goes: what was changed, what others did to it, and where it can go.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { DeadLetter } from '../api/schema';
import { lines_of, ordered_as } from './attribute_lines';
import { Select, Wrong } from '../parts/controls';
import { BodyDiff } from './body_diff';
import type { Bytes } from './body_view';
import type { EditTry } from './drafts';
import { iso, time_text } from '../parts/format';
import { LostNote } from '../parts/lost_note';
import type { Repetition } from '../parts/tries';
import { Diff } from './diff';
import { GONE } from '../letters/meanwhile';
import { use_queue_names } from '../queues/queues';
import { Text, visible } from '../parts/text';

interface MeanwhileProps {
  changes: string[];
  gone: boolean;
  lost: EditTry | null; // a try whose answer was lost, or whose result is not known
  how: Repetition;
}

const ANEW = 'another try looks at the letter first, and sends the edit again';

// Shows what others did to the letter since it was seen, or what the person's own try may have done.
export function Meanwhile(props: MeanwhileProps) {
  const { lost, how, gone } = props;
  if (!lost) return <ByOthers {...props} />;
  const changed = `The edit was changed since${gone ? '' : `: ${ANEW}`}.`;
  return (
    <>
      {lost.task === undefined ? (
        <LostNote tried={lost} how={how} sent="the edit was sent" perhaps="may have gone" again={ANEW} changed={changed} />
      ) : (
        <p class="note warning" role="alert">
          The edit was sent at {time_text(iso(lost.at))} by <a href={`/redrives/${lost.task}`}>redrive {lost.task}</a>, and what
          became of it was not known then. {how === 'same' ? 'Another try looks again, and sends nothing twice.' : changed}
        </p>
      )}
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
          ? `It may have gone by ${lost.task === undefined ? 'the try whose answer was lost' : `redrive ${lost.task}`}${how === 'other' ? ', as the edit was then' : ''}.`
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
  body: Bytes | undefined; // undefined if the body is not changed
  patch: string | undefined; // the JSON Patch of the body
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

// Asks for another target once it is known that the queue that the letter came from is gone.
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
