// When the element that has the focus leaves the page, the focus moves to a place nearby: to the next row of its list,
// or else to the heading of what it was in. A browser would move it to the body, and a person would start at the top
// again.

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"])';
const ROWS = 'tr, li';

// The element outside of dialogs that had the focus last, or its replacement after it has left. Null if a person has
// moved away from it.
let last: HTMLElement | null = null;
let page = '';

const is_nowhere = (): boolean => document.activeElement === null || document.activeElement === document.body;

function next_in(row: Node | null, step: 'nextSibling' | 'previousSibling'): HTMLElement | null {
  for (let one = row; one !== null; one = one[step]) {
    const found = one instanceof HTMLElement && one.matches(ROWS) && one.querySelector<HTMLElement>(FOCUSABLE);
    if (found) return found;
  }
  return null;
}

function heading_of(element: Element): HTMLElement | null {
  const head = element.closest('section')?.querySelector<HTMLElement>('h2') ?? document.querySelector<HTMLElement>('main h1');
  if (head && !head.hasAttribute('tabindex')) head.tabIndex = -1;
  return head ?? document.getElementById('main');
}

const remover_of = (node: Node, records: MutationRecord[]) =>
  records.findLast((one) => [...one.removedNodes].some((removed) => removed.contains(node)));

// Finds the nearest row that is still on the page, since a row may leave together with those beside it.
function still_there(row: Node | null, step: 'nextSibling' | 'previousSibling', records: MutationRecord[]): Node | null {
  for (let i = 0; row !== null && !row.isConnected && i < records.length; ++i)
    row = remover_of(row, records)?.[step] ?? null;
  return row?.isConnected ? row : null;
}

// Finds the element that gets the focus in place of the one that was removed.
function stand_in({ removedNodes, nextSibling, previousSibling, target }: MutationRecord, records: MutationRecord[]) {
  if (!target.isConnected) return heading_of(document.body);
  const is_row = [...removedNodes].some((one) => one instanceof HTMLElement && one.matches(ROWS));
  const row =
    is_row &&
    (next_in(still_there(nextSibling, 'nextSibling', records), 'nextSibling') ??
      next_in(still_there(previousSibling, 'previousSibling', records), 'previousSibling'));
  return row || heading_of(target as Element);
}

function follow(records: MutationRecord[]): void {
  if (last !== null && !last.isConnected && location.pathname === page) {
    const record = remover_of(last, records);
    if (record) last = stand_in(record, records);
  }
  if (last?.isConnected && last !== document.activeElement && is_nowhere() && !document.querySelector('dialog[open]'))
    last.focus({ preventScroll: true });
}

export function start_keeping_focus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement) || target.closest('dialog')) return;
    last = target;
    page = location.pathname;
  });
  // A click on an empty place moves away from the element that had the focus. That does not hold if the element itself
  // has left, or if a dialog opens.
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !(target instanceof HTMLElement) || target.closest('dialog')) return;
    setTimeout(() => {
      if (target === last && target.isConnected && is_nowhere() && document.hasFocus()) last = null;
    });
  });
  new MutationObserver(follow).observe(document.body, { childList: true, subtree: true });
}
