// OptionsForm has the options of a queue, to create one or to change one. Only what was changed is sent.
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, call, call_tagged, is_lost } from '../api/client';
import type { QueueOptions } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button, Check, Input, say, say_wrong } from '../parts/controls';
import { wrong_in, type Texts } from '../parts/field_values';
import { Fields } from '../parts/fields';
import { plural } from '../parts/format';
import { changes_of, doubts_in, merged, OPTION_FIELDS, OPTION_GROUPS, texts_of } from './queue_options';
import { use_store } from '../store';
import { visible } from '../parts/text';

const NAME_QUEUES = ['deadLetterQueue', 'parkingQueue', 'deadLetterRoutes'];

interface OptionsFormProps {
  name: string;
  on_name?: (name: string) => void; // given if the form creates a queue
  options: QueueOptions | null;
  tag?: string; // the tag of these options: they are changed only if nobody else has changed them
  on_done: () => void;
}

// The options as the form started with them, the texts of the fields, and which of them somebody else has changed
// since.
interface Edited {
  options: QueueOptions | null;
  tag: string | undefined;
  before: Texts;
  texts: Texts;
  others: string[];
}

// A tag starts with the version of the options. The rest of it changes with the counts of the queue.
const version_of = (tag: string | undefined): string | undefined => tag?.split('.')[0];

const edited_from = (options: QueueOptions | null, tag: string | undefined): Edited => {
  const before = texts_of(options);
  return { options, tag, before, texts: before, others: [] };
};

// A field keeps what was typed into it. All other fields take the new values of the queue.
function followed(edited: Edited, options: QueueOptions | null, tag: string | undefined): Edited {
  if (version_of(tag) === version_of(edited.tag)) return edited;
  const { before, texts, others } = merged(edited.before, edited.texts, texts_of(options));
  return { options, tag, before, texts, others: [...new Set([...edited.others, ...others])] };
}

// Tried is a try whose answer was lost. A change that somebody else seems to have made may come from this try.
interface Tried {
  name: string;
  typed: Texts; // the texts of the options that the try changes
}

const typed_in = ({ before, texts }: Edited): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([name, text]) => text !== before[name]));

function lost_text({ typed }: Tried, is_new: boolean, before: Texts): string {
  if (is_new)
    return 'The answer of the server was lost, so the queue may have been created. Another try does no harm: it leaves a queue with these options as it is, and refuses one with others.';
  const is_stored = Object.entries(typed).every(([name, text]) => before[name] === text);
  return is_stored
    ? 'The answer of the server was lost, but the queue has what was asked for: it is stored.'
    : 'The answer of the server was lost, so the change may be stored. Another try does no harm: it changes nothing if the queue was changed meanwhile.';
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
  // The version that this form saved over last. An answer from before that save may still have it. It may also come back
  // later: it depends on the options alone.
  const saved_over = useRef<string>();
  // The values that come after the version that this form saved over are those that it saved, and nobody else's.
  const follow = (options: QueueOptions | null, tag: string | undefined) => {
    const ours = saved_over.current;
    set_edited((since) => {
      const after = followed(since, options, tag);
      return ours !== undefined && version_of(since.tag) === ours ? { ...after, others: [] } : after;
    });
  };
  useEffect(() => {
    if (on_name || version_of(tag) === saved_over.current) return;
    follow(told, tag);
    saved_over.current = undefined;
  }, [tag]);
  const [lost, set_lost] = useState<Tried | null>(null);
  const [warnings, set_warnings] = useState<string[]>([]);
  const [busy, set_busy] = useState(false);
  const [creates_missing, set_creates_missing] = useState(false);
  const changes = changes_of(before, texts, options);
  const names_queues = NAME_QUEUES.some((one) => one in changes);
  const count = Object.keys(changes).length;
  const nothing = count === 0 ? 'No option is changed.' : undefined;
  const tried = lost?.name === name ? lost : null;
  const bad_name =
    on_name && name !== '' && !/^[A-Za-z0-9._-]{1,128}$/.test(name)
      ? 'Letters, digits, dots, underscores and dashes; at most 128.'
      : undefined;
  const reason =
    why_not(now, 'administer', name) ??
    bad_name ??
    (on_name && name === '' ? 'The queue needs a name.' : undefined) ??
    wrong_in(OPTION_FIELDS, texts) ??
    (on_name ? undefined : nothing);
  const done_text = (answer: { created?: boolean }): string => {
    if (!on_name) return `${name} is changed.`;
    if (answer.created) return `${name} is created.`;
    return tried
      ? `${name} has the options that were asked for: the try whose answer was lost may have created it.`
      : `${name} existed already, with exactly these options.`;
  };
  // Reads the options that the queue has now. A save with the tag of older options would be refused as if somebody else
  // had changed the queue. If the read fails, the next one of the whole page brings the options.
  const look_again = async () => {
    if (on_name) return;
    const read = await call_tagged('describeQueue', { path: { name } }).catch(() => null);
    if (read) follow(read.told.options ?? null, read.tag);
  };
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
      set_lost(null);
      saved_over.current = version_of(edited.tag);
      set_creates_missing(false);
      // What was typed while the answer was awaited stays.
      set_edited((since) => ({ ...since, before: texts, others: [] }));
      say(done_text(answer));
      for (const warning of answer.warnings ?? []) say(warning, 'warning');
      await look_again();
      on_done();
    } catch (failure) {
      if (failure instanceof ApiError && failure.status === 412) {
        const who = tried ? 'The try whose answer was lost, or somebody else,' : 'Somebody else';
        say(`${who} changed the queue meanwhile, so nothing was saved. The form now shows the new values.`, 'warning');
        await look_again();
        on_done();
      } else {
        if (is_lost(failure)) set_lost({ name, typed: typed_in(edited) });
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
        if (!reason && !busy) void save();
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
                if (NAME_QUEUES.includes(one)) set_creates_missing(false); // the consent was for another name
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
                <summary>When alerts fire</summary>
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
      {tried && (
        <p class="note warning" role="alert">
          {lost_text(tried, on_name !== undefined, before)}
        </p>
      )}
      {names_queues && (
        <Check
          label="Create the queues named here that do not exist"
          value={creates_missing}
          on_change={set_creates_missing}
          hint="They get the default options. Without this, a dead letter or parking queue that does not exist is refused."
        />
      )}
      <div class="buttons">
        <Button on_click={() => set_edited({ ...edited, texts: before, others: [] })} reason={nothing}>
          Reset
        </Button>
        <Button submit kind="main" reason={reason} busy={busy}>
          {on_name ? 'Create the queue' : count === 0 ? 'Change options' : `Change ${plural(count, 'option')}`}
        </Button>
      </div>
    </form>
  );
}
