// BodyDiff shows how two bodies differ: line by line if both are text, otherwise in bytes.
import { useMemo } from 'preact/hooks';
import { bytes_of, type Bytes } from './body_view';
import { TextDiff } from './diff';
import { count_text } from '../parts/format';

function text_of(of: Bytes): string | undefined {
  if (of.bodyBase64 === undefined) return of.body ?? '';
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes_of(of));
  } catch {
    return undefined;
  }
}

function same_bytes(before: Bytes, after: Bytes): { is_same: boolean; was: number; is: number } {
  const [was, is] = [bytes_of(before), bytes_of(after)];
  const is_same = was.length === is.length && was.every((byte, i) => byte === is[i]);
  return { is_same, was: was.length, is: is.length };
}

function BytesDiff({ before, after }: { before: Bytes; after: Bytes }) {
  const { is_same, was, is } = useMemo(() => same_bytes(before, after), [before.body, before.bodyBase64, after.body, after.bodyBase64]);
  if (is_same) return <p class="faint">The body is not changed.</p>;
  return (
    <p>
      The body was changed: {count_text(was)} bytes became {count_text(is)} bytes. At least one of them is not text.
    </p>
  );
}

export function BodyDiff({ before, after }: { before: Bytes; after: Bytes }) {
  const was = useMemo(() => text_of(before), [before.body, before.bodyBase64]);
  const is = useMemo(() => text_of(after), [after.body, after.bodyBase64]);
  if (was === undefined || is === undefined) return <BytesDiff before={before} after={after} />;
  if (was === is) return <p class="faint">The body is not changed.</p>;
  return <TextDiff label="Original and edited body" before={was} after={is} />;
}
