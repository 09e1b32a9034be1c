// The buttons, fields and messages that the pages share.
import type { ComponentChildren, JSX } from 'preact';
import { is_kept_from, type ApiError } from '../api/client';
import { make_store, use_store } from '../store';
import { hidden_in, visible } from './text';
import { use_id } from './use_id';

interface ButtonProps {
  children: ComponentChildren;
  on_click?: () => void;
  kind?: 'plain' | 'main' | 'danger' | 'quiet';
  reason?: string; // why it can't be pressed
  busy?: boolean;
  label?: string; // the accessible name, if the content does not say enough
  keys?: string;
  submit?: boolean;
}

// A button that cannot be pressed says why if somebody points at it, moves the focus to it or presses it.
export function Button({ children, on_click, kind = 'plain', reason, busy, label, keys, submit }: ButtonProps) {
  const off = reason !== undefined || busy === true;
  const press = (event: Event) => {
    if (!off) return on_click?.();
    event.preventDefault();
    if (reason) say(reason, 'warning');
  };
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button ${kind}`}
      aria-disabled={off}
      title={reason}
      aria-label={label}
      aria-keyshortcuts={keys}
      onClick={press}
    >
      {children}
      {keys && <kbd aria-hidden="true">{keys}</kbd>}
    </button>
  );
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string;
  children: (id: string, described: string | undefined) => ComponentChildren;
  wide?: boolean;
}

export function Field({ label, hint, error, children, wide }: FieldProps) {
  const id = use_id();
  const described = hint || error ? `${id}-hint` : undefined;
  return (
    <div class={wide ? 'field wide' : 'field'}>
      <label for={id}>{label}</label>
      {children(id, described)}
      {(hint || error) && (
        <p id={described} class={error ? 'hint wrong' : 'hint'}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

interface InputProps {
  label: string;
  value: string;
  on_change: (value: string) => void;
  hint?: ComponentChildren;
  error?: string;
  type?: string;
  list?: string[];
  placeholder?: string;
  wide?: boolean;
  auto_focus?: boolean;
  max_length?: number;
}

// A browser obeys the autofocus attribute only once in the life of a page, so this sets the focus itself.
const focus_it = (element: HTMLInputElement | null): void => element?.focus();

export function Input({
  label,
  value,
  on_change,
  hint,
  error,
  type = 'text',
  list,
  placeholder,
  wide,
  auto_focus,
  max_length,
}: InputProps) {
  return (
    <Field label={label} hint={hint} error={error} wide={wide}>
      {(id, described) => (
        <>
          <input
            id={id}
            type={type}
            value={value}
            placeholder={placeholder}
            list={list && `${id}-list`}
            autocomplete="off"
            spellcheck={false}
            maxLength={max_length}
            aria-describedby={described}
            aria-invalid={error !== undefined}
            ref={auto_focus ? focus_it : undefined}
            onInput={(event) => on_change(event.currentTarget.value)}
          />
          {list && (
            <datalist id={`${id}-list`}>
              {list.map((one) => (
                <option value={one} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

interface AreaProps extends Omit<InputProps, 'on_change'> {
  rows?: number;
  on_change?: (value: string) => void;
  read_only?: boolean;
  submits?: boolean; // whether Ctrl+Enter submits the form
}

// Presses the button that submits, which says why if it cannot be pressed.
function submit_by_key(event: JSX.TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.form?.querySelector<HTMLElement>('button[type=submit]')?.click();
}

export function Area({ label, value, on_change, hint, error, placeholder, rows = 8, read_only, submits }: AreaProps) {
  const hidden = hidden_in(value);
  return (
    <Field label={label} hint={hint} error={error} wide>
      {(id, described) => (
        <>
          <textarea
            id={id}
            rows={rows}
            value={value}
            placeholder={placeholder}
            readOnly={read_only}
            spellcheck={false}
            aria-describedby={described}
            aria-invalid={error !== undefined}
            onInput={(event) => on_change?.(event.currentTarget.value)}
            onKeyDown={submits ? submit_by_key : undefined}
          />
          {hidden && (
            <p class="note warning" role="status">
              {hidden}
            </p>
          )}
        </>
      )}
    </Field>
  );
}

export type Choice = readonly [value: string, label: string];

export function Select({
  label,
  value,
  on_change,
  choices,
  hint,
}: Omit<InputProps, 'list'> & { choices: readonly Choice[] }) {
  return (
    <Field label={label} hint={hint}>
      {(id, described) => (
        <select
          id={id}
          value={value}
          aria-describedby={described}
          onChange={(event) => on_change(event.currentTarget.value)}
        >
          {choices.map(([one, text]) => (
            <option value={one} selected={one === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Check({
  label,
  value,
  on_change,
  hint,
  wide,
}: {
  label: string;
  value: boolean;
  on_change: (on: boolean) => void;
  hint?: string;
  wide?: boolean; // whether it has a row of its own
}) {
  const id = use_id();
  return (
    <div class={wide ? 'check wide' : 'check'}>
      <input
        id={id}
        type="checkbox"
        checked={value}
        aria-describedby={hint && `${id}-hint`}
        onChange={(event) => on_change(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

// Switches between views of one thing.
export function Tabs({
  label,
  value,
  choices,
  on_change,
}: {
  label: string;
  value: string;
  choices: readonly Choice[];
  on_change: (value: string) => void;
}) {
  const move = (event: JSX.TargetedKeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = choices.findIndex(([one]) => one === value);
    on_change(choices[(at + step + choices.length) % choices.length][0]);
    const tabs = event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]');
    tabs[(at + step + choices.length) % choices.length]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {choices.map(([one, text]) => (
        <button
          type="button"
          role="tab"
          aria-selected={one === value}
          tabIndex={one === value ? 0 : -1}
          onClick={() => on_change(one)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

export function Badge({ kind, children, title }: { kind: string; children: ComponentChildren; title?: string }) {
  return (
    <span class={`badge ${kind}`} title={title}>
      {children}
    </span>
  );
}

export const Status = ({ of }: { of: string | undefined }) => (
  <Badge kind={`status-${of ?? 'new'}`}>{of ?? 'new'}</Badge>
);

export function Wrong({ error, what }: { error: ApiError | undefined; what?: string }) {
  if (!error) return null;
  const refused = [401, 403].includes(error.status) || is_kept_from(error);
  return (
    <div class={refused ? 'note warning' : 'note critical'} role="alert">
      {what && <strong>{what}: </strong>}
      {visible(error.message)}
    </div>
  );
}

export const Loading = () => (
  <p class="loading" role="status">
    Loading…
  </p>
);

export function Card({
  title,
  children,
  tools,
  wide,
}: {
  title: string;
  children: ComponentChildren;
  tools?: ComponentChildren;
  wide?: boolean;
}) {
  const id = use_id();
  return (
    <section class={wide ? 'card wide' : 'card'} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {tools && <div class="tools">{tools}</div>}
      </header>
      {children}
    </section>
  );
}

export function Figure({
  label,
  value,
  more,
  kind,
  unknown,
}: {
  label: string;
  value: ComponentChildren;
  more?: ComponentChildren;
  kind?: string;
  unknown?: string; // why the value is not known; it is not shown then
}) {
  const below = unknown === undefined ? more : <>not known: {visible(unknown)}</>;
  return (
    <div class={`figure ${unknown === undefined ? (kind ?? '') : ''}`}>
      <dt>{label}</dt>
      <dd>
        {unknown === undefined ? value : '?'}
        {below && <small>{below}</small>}
      </dd>
    </div>
  );
}

// --- messages that go away by themselves ---

interface Said {
  id: number;
  text: string;
  kind: 'done' | 'warning' | 'critical';
}

const SHOWN_MS = 7000;
const said = make_store<readonly Said[]>([]);
let last = 0;

export function say(text: string, kind: Said['kind'] = 'done'): void {
  const id = ++last;
  said.set([...said.get().filter((one) => one.text !== text), { id, text, kind }].slice(-4));
  setTimeout(() => said.set(said.get().filter((one) => one.id !== id)), SHOWN_MS);
}

export const say_wrong = (failure: unknown) =>
  say(failure instanceof Error ? failure.message : String(failure), 'critical');

export function Sayings() {
  const all = use_store(said);
  return (
    <div class="sayings" role="status" aria-live="polite">
      {all.map((one) => (
        <p key={one.id} class={`note ${one.kind}`}>
          {visible(one.text)}
        </p>
      ))}
    </div>
  );
}
