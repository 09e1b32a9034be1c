// A message, changed on its way back: what it was and what it will be, side by side, before it goes.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { call, request_id } from '../api/client';
import type { DeadLetter, LeftInPlace, RedriveEditInput } from '../api/schema';
import { go } from '../router';
import { lines_of, parse_lines, type Named } from './attribute_lines';
import { Area, Button, Check, say, say_wrong, Select, Wrong } from './controls';
import { Dialog } from './dialog';
import { Diff, TextDiff } from './diff';
import { draft_of, end_draft, keep_draft } from './drafts';
import { pretty, read_json } from './json';
import { editable, type Editable } from './line_ends';
import { changes_since, GONE, is_as_seen, read_letter, seen_of } from './meanwhile';
import { left_text, why_left } from './redrive_task';
import { Text, visible } from './text';
import { use_api } from './use_api';

function attribute_changes(before: string, after: Named[]): Pick<RedriveEditInput, 'setAttributes' | 'dropAttributes'> {
  const old = parse_lines(before) as Named[];
  const text = (all: Named[], name: string) =>
    all
      .filter((one) => one.name === name)
      .map((one) => one.value)
      .join('\n');
  const changed = new Set(after.filter((one) => text(old, one.name) !== text(after, one.name)).map((one) => one.name));
  const dropped = [...new Set(old.map((one) => one.name))].filter((name) => !after.some((one) => one.name === name));
  return {
    ...(changed.size > 0 ? { setAttributes: after.filter((one) => changed.has(one.name)) } : {}),
    ...(dropped.length > 0 ? { dropAttributes: dropped } : {}),
  };
}

const LOOKS = 20;
const LOOK_MS = 100;

type Result = { kind: 'moved' | 'not known yet' } | { kind: 'none'; left: LeftInPlace | undefined };

// Whether a redrive of one letter took it, or why not. It is quick, unless the server has very much to do.
async function result_of(task: number): Promise<Result> {
  for (let i = 0; i < LOOKS; ++i) {
    const { moved, state, left } = await call('redriveStatus', { path: { task } });
    if (moved > 0) return { kind: 'moved' };
    if (state !== 'running') return state === 'done' ? { kind: 'none', left } : { kind: 'not known yet' };
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
  return { kind: 'not known yet' };
}

// What others did about it since it was seen.
function Meanwhile({ changes, gone }: { changes: string[]; gone: boolean }) {
  if (gone)
    return (
      <p class="note critical" role="alert">
        {GONE} Somebody redrove, parked or discarded it meanwhile. What was typed here stays, and can be copied.
      </p>
    );
  if (changes.length === 0) return null;
  return (
    <div class="note warning" role="alert">
      This letter was changed since the edit began.
      <ul>
        {changes.map((one) => (
          <li>{visible(one)}</li>
        ))}
      </ul>
    </div>
  );
}

interface FormProps {
  letter: DeadLetter;
  form: Editable | null; // of the body; null: it goes as it is
  shown: string;
  set_shown: (shown: string) => void;
  must_be_json: boolean;
  set_must: (on: boolean) => void;
  attributes: string;
  set_attributes: (attributes: string) => void;
  is_same: boolean;
  on_close: () => void;
  on_compare: () => void;
}

function EditForm(props: FormProps) {
  const { letter, form, shown, set_shown, must_be_json, set_must, attributes, set_attributes, is_same } = props;
  const parsed = parse_lines(attributes);
  const attributes_wrong = typeof parsed === 'string' ? parsed : undefined;
  const json = form && must_be_json ? read_json(form.restored(shown)) : undefined;
  const node = json?.node;
  const body_wrong = json?.wrong;
  const reason = body_wrong ?? attributes_wrong ?? (is_same ? 'Nothing is changed yet.' : undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) props.on_compare();
      }}
    >
      {form ? (
        <>
          <Area label="Body" value={shown} on_change={set_shown} rows={16} error={body_wrong} hint={form.hint} />
          <div class="bar">
            <Check label="It has to be JSON" value={must_be_json} on_change={set_must} />
            <Button
              kind="quiet"
              reason={node ? undefined : (body_wrong ?? 'It does not have to be JSON.')}
              on_click={() => node && set_shown(pretty(node))}
            >
              Indent
            </Button>
            <Button kind="quiet" on_click={() => set_shown(form.shown)}>
              As it was
            </Button>
          </div>
        </>
      ) : (
        <p class="note info">
          {letter.body === undefined
            ? 'The body is not UTF-8 text; it goes as it is.'
            : 'The lines of the body end in ways that a form cannot keep; it goes as it is.'}{' '}
          The attributes can be changed.
        </p>
      )}
      <Area
        label="Attributes, one “name: value” a line"
        value={attributes}
        on_change={set_attributes}
        rows={5}
        error={attributes_wrong}
      />
      <div class="buttons">
        <Button on_click={props.on_close}>{is_same ? 'Cancel' : 'Close, and keep the edit'}</Button>
        <Button submit kind="main" reason={reason}>
          Compare
        </Button>
      </div>
    </form>
  );
}

interface ComparisonProps {
  letter: DeadLetter;
  body: string;
  attributes: string;
  assignee: string | undefined;
  to: string; // empty: where it came from
}

function Comparison({ letter, body, attributes, assignee, to }: ComparisonProps) {
  return (
    <>
      <h3>Body</h3>
      <TextDiff label="Original and edited body" before={letter.body ?? ''} after={body} />
      <h3>Attributes</h3>
      <Diff label="Original and edited attributes" before={lines_of(letter.attributes)} after={attributes} />
      <p class="faint">
        The original stays with the record. The message goes{' '}
        {to ? <>to {visible(to)}</> : <>back to {letter.record?.sourceQueue}</>}.
        {assignee && (
          <>
            {' '}
            The letter is assigned to <Text of={assignee} />.
          </>
        )}
      </p>
    </>
  );
}

// Only the letter as it is shown: somebody may be faster still.
async function redrive(queue: string, as_shown: DeadLetter, edit: RedriveEditInput, to: string) {
  const { id, triage } = as_shown;
  const filter = { ids: [id!], status: triage?.status, assignee: triage?.assignee ?? '' };
  const body = { filter, edit, ...(to ? { to } : {}), requestId: request_id() };
  const { task } = await call('startRedrive', { path: { queue }, body });
  return { task: task!, result: await result_of(task!) };
}

// Where it can go instead, once the queue that it came from is found to be gone.
function OtherTarget({ queue, to, on_change }: { queue: string; to: string; on_change: (to: string) => void }) {
  const names = use_api(
    'targets',
    async (signal) => ((await call('listQueues', { signal })).queues ?? []).map((one) => one.name ?? ''),
    { every: 0, after: () => false },
  );
  const others = (names.data ?? []).filter((one) => one !== queue);
  return (
    <>
      <p class="note warning" role="alert">
        The queue that it came from is deleted. It can go to another one.
      </p>
      <Select
        label="Send it to"
        value={to}
        on_change={on_change}
        choices={[['', 'choose one'], ...others.map((one) => [one, one] as const)]}
      />
      <Wrong error={names.error} what="The queues are not known" />
    </>
  );
}

interface EditProps {
  queue: string;
  letter: DeadLetter; // as it was when the edit began
  now: DeadLetter | null; // as it is; null: it is not there any more
  on_close: () => void;
}

export function EditDialog({ queue, letter, now, on_close }: EditProps) {
  const id = letter.id ?? '';
  const form = letter.body === undefined ? null : editable(letter.body);
  const [draft] = useState(() => draft_of(queue, id));
  const [shown, set_shown] = useState(draft?.shown ?? form?.shown ?? '');
  const [attributes, set_attributes] = useState(draft?.attributes ?? lines_of(letter.attributes));
  const [must_be_json, set_must] = useState(() => letter.body !== undefined && read_json(letter.body).node !== null);
  const [seen] = useState(draft?.seen ?? seen_of(letter));
  const [latest, set_latest] = useState(now);
  useEffect(() => set_latest(now), [now]);
  const [looks, set_looks] = useState(false);
  const [busy, set_busy] = useState(false);
  const [is_kept, set_kept] = useState(true);
  const [source_gone, set_source_gone] = useState(false);
  const [to, set_to] = useState('');
  const gone = latest === null || latest.history;
  const changes = gone ? [] : changes_since(seen, latest);
  const body = form ? form.restored(shown) : (letter.body ?? '');
  const is_same = body === (letter.body ?? '') && attributes === lines_of(letter.attributes);
  // Before the next key: it may be the one that closes the dialog.
  useLayoutEffect(() => {
    if (is_same) end_draft(queue, id);
    else set_kept(keep_draft(queue, id, { shown, attributes, at: Date.now(), seen }));
  }, [shown, attributes]);
  const send = async () => {
    // What others have done and is not shown here yet is shown first.
    const fresh = await read_letter(queue, id);
    set_latest(fresh);
    if (fresh === null || fresh.history || latest === null || !is_as_seen(seen_of(latest), fresh)) return;
    const edit = {
      ...(form && body !== letter.body ? { body } : {}),
      ...attribute_changes(lines_of(letter.attributes), parse_lines(attributes) as Named[]),
    };
    const { task, result } = await redrive(queue, fresh, edit, to);
    if (result.kind === 'none') {
      const why = why_left(result.left);
      set_source_gone(source_gone || why === 'noQueue');
      set_latest(await read_letter(queue, id));
      const text = why ? left_text(why) : 'somebody changed the letter at the same moment';
      return say(`Nothing was sent: ${text}.`, 'warning');
    }
    if (result.kind === 'moved') end_draft(queue, id);
    go(`/redrives/${task}`);
  };
  const reason = gone ? GONE : source_gone && !to ? 'The queue that it came from is deleted.' : undefined;
  const press = () => {
    set_busy(true);
    void send()
      .catch(say_wrong)
      .finally(() => set_busy(false));
  };
  return (
    <Dialog title={`Edit and redrive number ${letter.seq}`} on_close={on_close} wide>
      <Meanwhile changes={changes} gone={gone} />
      {!is_kept && <p class="note warning">It is too large for the browser to keep: it is lost when this page goes.</p>}
      {!looks ? (
        <EditForm
          {...{ letter, form, shown, set_shown, must_be_json, set_must, attributes, set_attributes, is_same, on_close }}
          on_compare={() => set_looks(true)}
        />
      ) : (
        <>
          <Comparison {...{ letter, body, attributes, to }} assignee={latest?.triage?.assignee} />
          {source_gone && <OtherTarget queue={queue} to={to} on_change={set_to} />}
          <div class="buttons">
            <Button on_click={() => set_looks(false)}>Go on editing</Button>
            <Button kind="main" busy={busy} reason={reason} on_click={press}>
              Redrive 1 dead letter, edited{changes.length > 0 && ', all the same'}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
