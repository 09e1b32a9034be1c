// EditDialog edits a dead letter and redrives it. It shows what the letter was and what it will be before it goes.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { is_lost, request_id } from '../api/client';
import type { DeadLetter, RedriveEditInput, RedriveOptionsInput } from '../api/schema';
import { go } from '../router';
import { lines_of, ordered_as, parse_lines } from './attribute_lines';
import { Button, say, say_wrong } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { text_of_body } from './body_view';
import { draft_of, end_draft, keep_draft, type EditTry } from './drafts';
import { Comparison, Meanwhile, OtherTarget } from './edit_comparison';
import { edit_of_whole, field_of, type WholeBody } from './edit_body';
import { EditForm } from './edit_form';
import { attribute_changes, options_for, redrive_edited, result_of } from './edit_redrive';
import { read_json } from '../parts/json';
import { is_remembered, use_remembered } from '../parts/tries';
import { use_fresh } from '../parts/use_fresh';
import { changes_since, GONE, is_as_seen, read_letter, seen_of } from '../letters/meanwhile';
import { left_text, why_left } from '../queues/redrive_task';

interface EditProps {
  queue: string;
  letter: DeadLetter; // the letter as it was when the edit started
  now: DeadLetter | null; // the letter as it is now; null if it is gone
  on_close: () => void;
}

export function EditDialog({ queue, letter, now, on_close }: EditProps) {
  const id = letter.id ?? '';
  const text = text_of_body(letter);
  const form = useMemo(() => field_of(text), [letter]);
  const field = typeof form === 'string' ? null : form;
  const [draft] = useState(() => draft_of(queue, id));
  const [shown, set_shown] = useState(draft?.shown ?? field?.shown ?? '');
  const patch = draft?.patch ?? '';
  const [whole, set_whole] = useState<WholeBody>({ by: patch ? 'patch' : 'nothing', patch });
  const [attributes, set_attributes] = useState(draft?.attributes ?? lines_of(letter.attributes));
  const [must_be_json, set_must] = useState(() => field !== null && read_json(text!).node !== null);
  const [seen] = useState(draft?.seen ?? seen_of(letter));
  const [latest, change_latest] = use_fresh(now, () => now);
  const [looks, set_looks] = useState(false);
  const [busy, set_busy] = useState(false);
  const [is_kept, set_kept] = useState(true);
  const [source_gone, set_source_gone] = useState(draft?.tried?.what?.to !== undefined);
  const [to, set_to] = useState(draft?.tried?.what?.to ?? '');
  const [lost, set_lost] = useState<EditTry | null>(draft?.tried ?? null);
  const tried = useRef(lost); // also has the try while its answer is waited for
  const remembered = use_remembered(lost);
  const gone = latest === null || latest.history;
  const changes = gone ? [] : changes_since(seen, latest);
  const restored = field?.restored(shown);
  const body = restored === undefined ? edit_of_whole(whole) : { body: restored };
  const is_body_same = field ? restored === text : whole.by === 'nothing';
  const are_attributes_same = ordered_as(lines_of(letter.attributes), attributes) === lines_of(letter.attributes);
  // A file is not kept, since the browser has to ask for it again.
  const is_nothing_to_keep = are_attributes_same && (field ? is_body_same : whole.by !== 'patch');
  const keep = () => {
    if (is_nothing_to_keep && !tried.current) return end_draft(queue, id);
    const typed = field ? { shown } : whole.by === 'patch' ? { patch: whole.patch } : {};
    set_kept(keep_draft(queue, id, { ...typed, attributes, at: Date.now(), seen, tried: tried.current ?? undefined }));
  };
  // The draft is kept before the next key, which may be the one that closes the dialog.
  useLayoutEffect(keep, [shown, attributes, whole.by, whole.patch]);
  const keep_now = useRef(keep); // keeps what is in the fields when an answer comes
  keep_now.current = keep;
  const note_try = (one: EditTry | null) => {
    tried.current = one;
    keep_now.current();
  };
  const edit = useMemo((): RedriveEditInput | null => {
    const after = parse_lines(attributes);
    if (typeof after === 'string') return null;
    return { ...(is_body_same ? {} : body), ...attribute_changes(lines_of(letter.attributes), after) };
  }, [shown, attributes, whole]);
  // `is_same_try` says whether the edit is still the one that was sent.
  const is_same_try = useMemo(() => {
    const sent = lost?.what;
    return sent !== undefined && (sent.to ?? '') === to && JSON.stringify(sent.edit) === JSON.stringify(edit);
  }, [lost, edit, to]);
  const is_known = (one: EditTry) => one.task !== undefined || is_remembered(one);
  const repeats = is_same_try && (remembered || lost?.task !== undefined);
  // Reads the letter again. If others have done something that is not shown here yet, it is shown first, and the result
  // is null.
  const options_now = async (): Promise<RedriveOptionsInput | null> => {
    const fresh = await read_letter(queue, id);
    change_latest(() => fresh);
    if (fresh === null || fresh.history || latest === null || !is_as_seen(seen_of(latest), fresh)) return null;
    return options_for(fresh, edit!, to);
  };
  // The try is kept before it is sent, since the page may be gone before there is an answer.
  const try_it = async (one: EditTry & { what: RedriveOptionsInput }): Promise<number> => {
    const before = tried.current;
    note_try(one);
    try {
      const task = await redrive_edited(queue, id, one.what, one);
      note_try({ ...one, task });
      return task;
    } catch (failure) {
      if (is_lost(failure)) set_lost(tried.current);
      else note_try(before); // it was refused
      throw failure;
    }
  };
  const send = async () => {
    // The try whose answer was lost may have taken the letter. So the same try is made again without a look at the
    // letter. A try that the server has forgotten counts as a new one.
    const again = repeats && is_known(lost!) ? lost! : null;
    const what = again?.what ?? (await options_now());
    if (!what) return;
    const task = again?.task ?? (await try_it({ request: request_id(), at: Date.now(), ...again, what }));
    const result = await result_of(task);
    set_lost(null);
    if (result.kind === 'none') {
      note_try(null);
      const why = why_left(result.left);
      set_source_gone(source_gone || why === 'noQueue');
      const read = await read_letter(queue, id);
      change_latest(() => read);
      const text = why ? left_text(why) : 'somebody changed the letter at the same moment';
      return say(`Nothing was sent: ${text}.`, 'warning');
    }
    if (result.kind === 'moved') end_draft(queue, id);
    go(`/redrives/${task}`);
  };
  const reason = repeats ? undefined : gone ? GONE : source_gone && !to ? 'The queue that it came from is deleted.' : undefined;
  const press = () => {
    set_busy(true);
    void send()
      .catch(say_wrong)
      .finally(() => set_busy(false));
  };
  return (
    <Dialog title={`Edit and redrive number ${letter.seq}`} on_close={on_close} wide>
      <Meanwhile changes={repeats ? [] : changes} gone={gone} lost={lost} how={repeats ? 'same' : is_same_try ? 'forgotten' : 'other'} />
      {!is_kept && !is_nothing_to_keep && (
        <p class="note warning">
          The edit is too large for the browser to keep: it is lost when this page is closed.
        </p>
      )}
      {!looks ? (
        <EditForm
          {...{ letter, form, whole, shown, set_shown, must_be_json, set_must, attributes, set_attributes, on_close }}
          set_whole={(changes) => set_whole((before) => ({ ...before, ...changes }))}
          is_same={is_body_same && are_attributes_same}
          is_kept={!is_nothing_to_keep && is_kept}
          on_compare={() => set_looks(true)}
        />
      ) : (
        <>
          <Comparison
            {...{ letter, attributes, to }}
            body={is_body_same ? undefined : body}
            patch={whole.by === 'patch' ? whole.patch : undefined}
            assignee={latest?.triage?.assignee}
          />
          {source_gone && <OtherTarget queue={queue} to={to} on_change={set_to} />}
          <div class="buttons">
            <Button on_click={() => set_looks(false)}>Go on editing</Button>
            <Button kind="main" busy={busy} reason={reason} on_click={press}>
              Redrive 1 dead letter, edited
              {repeats ? ': try again' : changes.length > 0 && ', anyway'}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
