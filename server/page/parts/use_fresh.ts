// Makes a state that starts again whenever `key` is another one, such as the fields of a form after the address changed.
// It does so while the component is drawn. An effect would come later, after the first key of a fast user, and undo it.
import { useRef, useState } from 'preact/hooks';

export function use_fresh<T>(key: unknown, start: () => T): [value: T, change: (to: (before: T) => T) => void] {
  const [, redraw] = useState(0);
  const held = useRef<{ key: unknown; value: T } | null>(null);
  if (held.current === null || !Object.is(held.current.key, key)) held.current = { key, value: start() };
  const change = (to: (before: T) => T) => {
    held.current!.value = to(held.current!.value);
    redraw((n) => n + 1);
  };
  return [held.current.value, change];
}
