// Notes show what people did about a dead letter.
import type { TriageNote } from '../api/schema';
import { count_text, time_text } from '../parts/format';
import { Text, visible } from '../parts/text';

export function Notes({ of, dropped, empty }: { of: TriageNote[]; dropped: number; empty: string }) {
  if (of.length === 0) return <p class="faint">{empty}</p>;
  return (
    <>
      {dropped > 0 && <p class="faint">{count_text(dropped)} older ones were dropped.</p>}
      <ol class="timeline">
        {of.map((one) => (
          <li>
            <time>{time_text(one.at)}</time>
            <span>
              <b>
                <Text of={one.actor} empty="somebody" />
              </b>{' '}
              {visible(one.text ?? '', true)}
            </span>
          </li>
        ))}
      </ol>
    </>
  );
}
