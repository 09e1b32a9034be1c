// The options of a queue, to create one or to change one. Only what was changed is sent.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, call, is_lost } from '../api/client';
import type { QueueOptions } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button, Check, Input, say, say_wrong } from '../parts/controls';
import { wrong_in, type Texts } from '../parts/field_values';
import { Fields } from '../parts/fields';
import { changes_of, doubts_in, merged, OPTION_FIELDS, OPTION_GROUPS, texts_of } from './queue_options';
import { use_store } from '../store';
import { visible } from '../parts/text';

const NAME_QUEUES = ['deadLetterQueue', 'parkingQueue', 'deadLetterRoutes'];

interface OptionsFormProps {
  name: string;
  on_name?: (name: string) => void; // to create one
  options: QueueOptions | null;
  tag?: string; // of these options: they are changed only if nobody else has changed them
  on_done: () => void;
}

// The options as the form began with them, the texts of the fields, and which of them somebody else has changed since.
interface Edited {
  options: QueueOptions | null;
  tag: string | undefined;
  before: Texts;
  texts: Texts;
  others: string[];
}

// A tag opens with the version of the options; the rest of it follows the counts of the queue.
const version_of = (tag: string | undefined): string | undefined => tag?.split('.')[0];

const edited_from = (options: QueueOptions | null, tag: string | undefined): Edited => {
  const before = texts_of(options);
  return { options, tag, before, texts: before, others: [] };
};

// What was typed stays; every other field follows the queue.
function followed(edited: Edited, options: QueueOptions | null, tag: string | undefined): Edited {
  if (version_of(tag) === version_of(edited.tag)) return edited;
  const { before, texts, others } = merged(edited.before, edited.texts, texts_of(options));
  return { options, tag, before, texts, others: [...new Set([...edited.others, ...others])] };
}

function Warnings({ of }: { of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <div class="note warning" role="alert">
      <ul>
        {of.map((one) => (
          <li>{visible(one)}</li>
        ))}
      </ul>
    </div>
  );
}

export function OptionsForm({ name, on_name, options: told, tag, on_done }: OptionsFormProps) {
  const now = use_store(session);
  const [edited, set_edited] = useState<Edited>(() => edited_from(told, tag));
  const { options, before, texts, others } = edited;
  const saved_over = useRef(new Set<string | undefined>()); // versions that an answer may still tell of, sent before
  useEffect(() => {
    if (on_name || saved_over.current.has(version_of(tag))) return;
    set_edited((now) => (saved_over.current.has(version_of(now.tag)) ? edited_from(told, tag) : followed(now, told, tag)));
  }, [tag]);
  const lost = useRef(false); // the answer to a try: what others seem to have changed since may be its own work
  const [warnings, set_warnings] = useState<string[]>([]);
  const [busy, set_busy] = useState(false);
  const [creates_missing, set_creates_missing] = useState(false);
  const changes = changes_of(before, texts, options);
  const names_queues = NAME_QUEUES.some((one) => one in changes);
  const count = Object.keys(changes).length;
  const bad_name =
    on_name && name !== '' && !/^[A-Za-z0-9._-]{1,128}$/.test(name)
      ? 'Letters, digits, dots, underscores and dashes; at most 128.'
      : undefined;
  const reason =
    why_not(now, 'administer', name) ??
    bad_name ??
    (on_name && name === '' ? 'It needs a name.' : undefined) ??
    wrong_in(OPTION_FIELDS, texts) ??
    (!on_name && count === 0 ? 'Nothing is changed.' : undefined);
  const save = async () => {
    set_busy(true);
    try {
      const answer = on_name
        ? await call('createQueue', { path: { name }, query: { createMissing: creates_missing }, body: changes })
        : await call('alterQueue', {
            path: { name },
            body: { ...changes, createMissing: creates_missing },
            if_match: edited.tag,
          });
      set_warnings(answer.warnings ?? []);
      lost.current = false;
      saved_over.current.add(version_of(edited.tag));
      set_creates_missing(false);
      set_edited({ ...edited, before: texts, others: [] });
      say(on_name ? (answer.created ? `${name} is there.` : `${name} was there already.`) : `${name} is changed.`);
      for (const warning of answer.warnings ?? []) say(warning, 'warning');
      on_done();
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 412) {
        const who = lost.current ? 'The try whose answer was lost, or somebody else,' : 'Somebody else';
        say(`${who} changed the queue meanwhile, so nothing was saved. The form now shows the new values.`, 'warning');
        on_done();
      } else {
        lost.current ||= is_lost(failure);
        say_wrong(failure);
      }
    }
    set_busy(false);
  };
  const simulate = new URLSearchParams(
    ['kind', 'base', 'cap', 'jitter', 'stages'].map((one) => [one, texts[`retry.${one}`] ?? '']),
  );
  simulate.set('maxDeliveries', texts.maxDeliveries ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) void save();
      }}
    >
      {on_name && (
        <div class="form">
          <Input label="Name" value={name} on_change={on_name} error={bad_name} />
        </div>
      )}
      {OPTION_GROUPS.map(([title, fields, folded]) => {
        const form = (
          <div class={folded ? 'form rules' : 'form'}>
            <Fields
              fields={fields}
              texts={texts}
              before={before}
              on_change={(one, text) => {
                if (NAME_QUEUES.includes(one)) set_creates_missing(false); // another name is another question
                set_edited((all) => ({ ...all, texts: { ...all.texts, [one]: text } }));
              }}
            />
          </div>
        );
        return (
          <fieldset>
            <legend>{title}</legend>
            {folded ? (
              <details open={!on_name}>
                <summary>When it calls for people</summary>
                {form}
              </details>
            ) : (
              form
            )}
            {title === 'Alerts' && <Warnings of={doubts_in(texts)} />}
            {title === 'Retries' && (
              <p>
                <a href={`/simulate?${simulate}`}>See what this policy does</a> before it is used.
              </p>
            )}
          </fieldset>
        );
      })}
      {others.length > 0 && (
        <p class="note warning" role="alert">
          Somebody else changed this queue: {others.join(', ')}. What was typed here is kept; all other fields show the
          new values.
        </p>
      )}
      <Warnings of={warnings} />
      {names_queues && (
        <Check
          label="Create the queues named here that do not exist"
          value={creates_missing}
          on_change={set_creates_missing}
          hint="With default options. Otherwise a dead letter or parking queue that does not exist is refused."
        />
      )}
      <div class="buttons">
        <Button on_click={() => set_edited({ ...edited, texts: before, others: [] })} reason={count === 0 ? 'Nothing is changed.' : undefined}>
          As it was
        </Button>
        <Button submit kind="main" reason={reason} busy={busy}>
          {on_name ? 'Create the queue' : `Change ${count === 1 ? '1 option' : `${count} options`}`}
        </Button>
      </div>
    </form>
  );
}
