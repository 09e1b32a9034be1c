// A message, changed on its way back: what it was and what it will be, side by side, before it goes.
import { useState } from 'preact/hooks';
import { call, request_id } from '../api/client';
import type { DeadLetter, RedriveEditInput } from '../api/schema';
import { go } from '../router';
import { lines_of, parse_lines, type Named } from './attribute_lines';
import { Area, Button, Check, say_wrong } from './controls';
import { Dialog } from './dialog';
import { Diff, TextDiff } from './diff';
import { parse_json, pretty } from './json';
import { editable } from './line_ends';

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

export function EditDialog({ queue, letter, on_close }: { queue: string; letter: DeadLetter; on_close: () => void }) {
  const form = letter.body === undefined ? null : editable(letter.body);
  const [shown, set_shown] = useState(form?.shown ?? '');
  const body = form ? form.restored(shown) : (letter.body ?? '');
  const [attributes, set_attributes] = useState(lines_of(letter.attributes));
  const [must_be_json, set_must] = useState(letter.body !== undefined && parse_json(letter.body) !== null);
  const [looks, set_looks] = useState(false);
  const [busy, set_busy] = useState(false);
  const parsed = parse_lines(attributes);
  const attributes_wrong = typeof parsed === 'string' ? parsed : undefined;
  const node = must_be_json ? parse_json(body) : null;
  const body_wrong = must_be_json && node === null ? 'This is not JSON.' : undefined;
  const is_same = body === (letter.body ?? '') && attributes === lines_of(letter.attributes);
  const reason = body_wrong ?? attributes_wrong ?? (is_same ? 'Nothing is changed yet.' : undefined);
  const send = async () => {
    set_busy(true);
    const edit: RedriveEditInput = {
      ...(form && body !== letter.body ? { body } : {}),
      ...attribute_changes(lines_of(letter.attributes), parsed as Named[]),
    };
    try {
      const { task } = await call('startRedrive', {
        path: { queue },
        body: { filter: { ids: [letter.id!] }, edit, requestId: request_id() },
      });
      go(`/redrives/${task}`);
    } catch (failure) {
      say_wrong(failure);
      set_busy(false);
    }
  };
  return (
    <Dialog title={`Edit and redrive number ${letter.seq}`} on_close={on_close} wide>
      {!looks ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!reason) set_looks(true);
          }}
        >
          {form ? (
            <>
              <Area label="Body" value={shown} on_change={set_shown} rows={16} error={body_wrong} hint={form.hint} />
              <div class="bar">
                <Check label="It has to be JSON" value={must_be_json} on_change={set_must} />
                <Button
                  kind="quiet"
                  reason={node ? undefined : 'It is not JSON.'}
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
            <Button on_click={on_close}>Cancel</Button>
            <Button submit kind="main" reason={reason}>
              Compare
            </Button>
          </div>
        </form>
      ) : (
        <>
          <h3>Body</h3>
          <TextDiff label="Original and edited body" before={letter.body ?? ''} after={body} />
          <h3>Attributes</h3>
          <Diff label="Original and edited attributes" before={lines_of(letter.attributes)} after={attributes} />
          <p class="faint">
            The original stays with the record. The message goes back to {letter.record?.sourceQueue}.
          </p>
          <div class="buttons">
            <Button on_click={() => set_looks(false)}>Go on editing</Button>
            <Button kind="main" busy={busy} on_click={() => void send()}>
              Redrive 1 dead letter, edited
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
