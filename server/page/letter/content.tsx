// Body and Attributes show the message of a dead letter.
import type { Attribute, DeadLetter } from '../api/schema';
import { BodyDiff } from '../edits/body_diff';
import { BodyView } from '../edits/body_view';
import { Text } from '../parts/text';

export function Attributes({ of, redacted, gone }: { of: Attribute[]; redacted: string[]; gone: boolean }) {
  if (of.length === 0)
    return <p class="faint">{gone ? 'The message is gone, and its attributes with it.' : 'The message has none.'}</p>;
  const is_hidden = (one: Attribute) => redacted.includes(`attribute ${one.name}`);
  return (
    <table class="rows">
      <tbody>
        {of.map((one) => (
          <tr>
            <th scope="row" class="name">
              <Text of={one.name} mono />
            </th>
            <td class="value">
              {is_hidden(one) ? (
                <span class="faint">hidden from this token</span>
              ) : one.valueBase64 !== undefined ? (
                <span class="mono">
                  {one.valueBase64} <span class="faint">(base64)</span>
                </span>
              ) : (
                <Text of={one.value} empty="empty" />
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Body({ letter }: { letter: DeadLetter }) {
  const hidden = letter.redacted?.includes('body');
  if (hidden) return <p class="note warning">The body is hidden from this token.</p>;
  if (letter.history) return <p class="faint">The message is gone, and its body with it.</p>;
  return (
    <>
      <BodyView of={letter} name={`${letter.record?.messageId ?? 'body'}.txt`} />
      {letter.original && (
        <details>
          <summary>Edited by an earlier redrive: what was changed</summary>
          <BodyDiff before={letter.original} after={letter} />
        </details>
      )}
    </>
  );
}
