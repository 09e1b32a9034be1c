// VirtualList makes only those of its rows that are in sight.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps {
  count: number;
  row_height: number;
  label: string;
  head: ComponentChildren;
  row: (index: number) => { content: ComponentChildren; classes?: string; selected?: boolean };
  current: number;
  on_current: (index: number) => void;
  on_seen: (first: number, last: number) => void;
  on_key: (key: string, event: KeyboardEvent) => boolean; // returns whether the list uses the key
  on_open: (index: number) => void;
}

const SPARE = 12; // rows above and below what is seen
const MOST_PX = 8_000_000; // browsers draw no element that is much higher

// Keeps track of which rows are in sight (`top` is where they start), and of how to scroll there. If all rows together
// are higher than an element can be, the bar scrolls less far than the rows. A short scroll then moves the rows by its
// own length, and a long one by its share of the whole.
function use_scrolling(box: { current: HTMLDivElement | null }, whole: number, height: number) {
  const inside = Math.min(whole, MOST_PX);
  const scale = Math.max(1, (whole - height) / Math.max(1, inside - height));
  const [at, set_at] = useState({ top: 0, scrolled: 0 });
  const latest = useRef(at);
  const put = (top: number, scrolled: number) => {
    latest.current = { top, scrolled };
    set_at(latest.current);
  };
  const to = (top: number) => {
    const element = box.current!;
    element.scrollTop = top / scale;
    put(top, element.scrollTop);
  };
  const on_scroll = () => {
    if (!box.current) return; // the list is gone, but its last scroll event still comes
    const { top, scrolled } = latest.current;
    const now = box.current.scrollTop;
    if (scale === 1) return put(now, now);
    if (now === scrolled) return;
    const is_near = Math.abs(now - scrolled) < 2 * height;
    const next = Math.max(0, Math.min(whole - height, is_near ? top + now - scrolled : now * scale));
    // The bar is corrected before it reaches an end that the rows have not reached.
    if (Math.abs(next / scale - now) > height) to(next);
    else put(next, now);
  };
  return { top: at.top, shift: scale === 1 ? 0 : at.scrolled - at.top, inside, to, on_scroll };
}

export function VirtualList(props: VirtualListProps) {
  const { count, row_height, current } = props;
  const box = useRef<HTMLDivElement>(null);
  const head = () => box.current?.querySelector<HTMLElement>('.list-head')?.offsetHeight ?? 0;
  const [height, set_height] = useState(600); // the height of the rows in sight
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => set_height(entry.contentRect.height - head()));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const { top, shift, inside, to, on_scroll } = use_scrolling(box, count * row_height, height);
  const first = Math.max(0, Math.min(count - 1, Math.floor(top / row_height)) - SPARE);
  const last = Math.min(count - 1, Math.ceil((top + height) / row_height) + SPARE);
  useEffect(() => props.on_seen(first, Math.max(last, 0)), [first, last, count]);

  // This also restores the position of someone who had scrolled far down. If the list itself moves the current row, the
  // view follows only if the row was in sight.
  const before = useRef(current);
  const is_by_hand = useRef(true);
  useLayoutEffect(() => {
    const y = current * row_height;
    const seen = box.current!.clientHeight - head();
    const was = before.current * row_height;
    const is_followed = is_by_hand.current || (was + row_height > top && was < top + seen);
    before.current = current;
    is_by_hand.current = false;
    if (!is_followed) return;
    if (y < top) to(y);
    else if (y + row_height > top + seen) to(y + row_height - seen);
  }, [current, row_height]);

  const move_to = (index: number) => {
    is_by_hand.current = true;
    props.on_current(Math.max(0, Math.min(count - 1, index)));
  };
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
        aria-setsize={count}
        class={`list-row ${classes} ${i === current ? 'current' : ''}`}
        style={{ top: `${i * row_height + shift}px`, height: `${row_height}px` }}
        onClick={() => move_to(i)}
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
        onScroll={on_scroll}
      >
        <div class="list-head" role="presentation">
          {props.head}
        </div>
        <div class="list-inside" role="presentation" style={{ height: `${inside}px` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
