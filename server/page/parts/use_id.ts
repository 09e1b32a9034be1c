// An id for an element, which no other has. Preact's own begins to count again below a component that is drawn anew and
// keeps its children, and two fields would share a label.
import { useState } from 'preact/hooks';

let given = 0;

export function use_id(): string {
  const [id] = useState(() => `id-${++given}`);
  return id;
}
