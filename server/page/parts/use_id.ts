// Makes an id for an element that no other element has. Preact's own ids begin to count again below a component that is
// drawn anew and keeps its children, so two fields would share a label.
import { useState } from 'preact/hooks';

let given = 0;

export function use_id(): string {
  const [id] = useState(() => `id-${++given}`);
  return id;
}
