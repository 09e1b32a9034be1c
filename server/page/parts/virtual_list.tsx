// Rows of which only those in sight are made.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps {
  count: number; // rows that are known
  total?: number; // rows that there are, as far as is known
  row_height: number;
  label: string;
  head: ComponentChildren;
  row: (index: number) => { content: ComponentChildren; classes?: string; selected?: boolean };
  current: number;
  on_current: (index: number) => void;
  on_seen: (first: number, last: number) => void;
  on_key: (key: string, event: KeyboardEvent) => boolean; // whether it was meant
  on_open: (index: number) => void;
}

const SPARE = 12; // rows above and below what is seen

export function VirtualList(props: VirtualListProps) {
  const { count, total, row_height, current } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, set_top] = useState(0);
  const [height, set_height] = useState(600);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => set_height(entry.contentRect.height));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / row_height) - SPARE);
  const last = Math.min(count - 1, Math.ceil((top + height) / row_height) + SPARE);
  useEffect(() => props.on_seen(first, Math.max(last, 0)), [first, last, count]);

  // Also where somebody comes back to, who was far down.
  useLayoutEffect(() => {
    const element = box.current!;
    const head = element.querySelector<HTMLElement>('.list-head')?.offsetHeight ?? 0;
    const y = current * row_height;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + row_height > element.scrollTop + element.clientHeight - head)
      element.scrollTop = y + row_height - element.clientHeight + head;
  }, [current, row_height]);

  const move_to = (index: number) => props.on_current(Math.max(0, Math.min(count - 1, index)));
  const on_key = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const page = Math.max(1, Math.floor(height / row_height) - 2);
    const steps: Record<string, number> = {
      j: 1,
      ArrowDown: 1,
      k: -1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    let meant = true;
    if (event.key in steps) {
      const step = steps[event.key];
      move_to(step === -Infinity ? 0 : step === Infinity ? count - 1 : current + step);
    } else if (event.key === 'Enter' && count > 0) props.on_open(current);
    else meant = props.on_key(event.key, event);
    if (meant) event.preventDefault();
  };

  const rows: ComponentChildren[] = [];
  for (let i = first; i <= last; ++i) {
    const { content, classes = '', selected } = props.row(i);
    rows.push(
      <div
        key={i}
        id={`row-${i}`}
        role="option"
        aria-selected={selected ?? false}
        aria-posinset={i + 1}
        aria-setsize={total ?? count}
        class={`list-row ${classes} ${i === current ? 'current' : ''}`}
        style={{ top: `${i * row_height}px`, height: `${row_height}px` }}
        onClick={() => props.on_current(i)}
        onDblClick={() => props.on_open(i)}
      >
        {content}
      </div>,
    );
  }
  return (
    <div class="list-frame">
      <div
        ref={box}
        class="list"
        role="listbox"
        aria-label={props.label}
        aria-multiselectable="true"
        tabIndex={0}
        data-keys
        aria-activedescendant={count > 0 ? `row-${current}` : undefined}
        onKeyDown={on_key}
        onScroll={(event) => set_top(event.currentTarget.scrollTop)}
      >
        <div class="list-head" role="presentation">
          {props.head}
        </div>
        <div class="list-inside" role="presentation" style={{ height: `${count * row_height}px` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
