// The options of a queue, to create one or to change one. Only what was changed is sent.
import { useState } from 'preact/hooks';
import { call } from '../api/client';
import type { QueueOptions } from '../api/schema';
import { session, why_not } from '../api/session';
import { Button, Input, say, say_wrong } from './controls';
import { wrong_in, type Texts } from './field_values';
import { Fields } from './fields';
import { changes_of, OPTION_FIELDS, OPTION_GROUPS, texts_of } from './queue_options';
import { use_store } from './store';
import { visible } from './text';

interface OptionsFormProps {
  name: string;
  on_name?: (name: string) => void; // to create one
  options: QueueOptions | null;
  on_done: () => void;
}

export function OptionsForm({ name, on_name, options, on_done }: OptionsFormProps) {
  const now = use_store(session);
  const [before, set_before] = useState<Texts>(() => texts_of(options));
  const [texts, set_texts] = useState<Texts>(before);
  const [warnings, set_warnings] = useState<string[]>([]);
  const [busy, set_busy] = useState(false);
  const changes = changes_of(before, texts, options);
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
        ? await call('createQueue', { path: { name }, body: changes })
        : await call('alterQueue', { path: { name }, body: changes });
      set_warnings(answer.warnings ?? []);
      set_before(texts);
      say(on_name ? (answer.created ? `${name} is there.` : `${name} was there already.`) : `${name} is changed.`);
      for (const warning of answer.warnings ?? []) say(warning, 'warning');
      on_done();
    } catch (failure) {
      say_wrong(failure);
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
          <div class="form">
            <Fields
              fields={fields}
              texts={texts}
              before={before}
              on_change={(one, text) => set_texts((all) => ({ ...all, [one]: text }))}
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
            {title === 'Retries' && (
              <p>
                <a href={`/simulate?${simulate}`}>See what this policy does</a> before it is used.
              </p>
            )}
          </fieldset>
        );
      })}
      {warnings.length > 0 && (
        <ul class="note warning" role="alert">
          {warnings.map((one) => (
            <li>{visible(one)}</li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <Button on_click={() => set_texts(before)} reason={count === 0 ? 'Nothing is changed.' : undefined}>
          As it was
        </Button>
        <Button submit kind="main" reason={reason} busy={busy}>
          {on_name ? 'Create the queue' : `Change ${count === 1 ? '1 option' : `${count} options`}`}
        </Button>
      </div>
    </form>
  );
}
