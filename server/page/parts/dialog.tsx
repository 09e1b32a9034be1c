// Dialog asks a question in front of the page. The browser keeps the focus inside of it, and gives it back afterwards.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { use_id } from './use_id';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  on_close: () => void;
  wide?: boolean;
}

// Moves the focus to what a person most likely came for: the main field, or else the first button of the question. The
// button that closes the dialog comes first in it, and a space that is meant for a note would press it.
function focus_first(dialog: HTMLDialogElement): void {
  const content = [...dialog.children].filter((one) => one.tagName !== 'HEADER');
  const first = (what: string) => content.map((one) => one.querySelector<HTMLElement>(what)).find(Boolean);
  (first('textarea, select, input:not([type=checkbox])') ?? first('.buttons button') ?? dialog).focus();
}

export function Dialog({ title, children, on_close, wide }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = use_id();
  // This runs before the browser paints: a key that is pressed right after the one that opened the dialog belongs to
  // the dialog.
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    focus_first(dialog);
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={element}
      class={wide ? 'wide' : ''}
      tabIndex={-1}
      aria-labelledby={id}
      // A browser lets a page refuse only some of the closings by the escape key, unless the key itself is taken.
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        on_close();
      }}
      onCancel={(event) => {
        event.preventDefault();
        on_close();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="button quiet" aria-label="Close" onClick={on_close}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
