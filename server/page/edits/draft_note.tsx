// An edit of a dead letter that was begun and not sent, or sent without an answer.
import { useState } from 'preact/hooks';
import { go } from '../router';
import { Area, Button, say_wrong } from '../parts/controls';
import { draft_of, end_draft, keep_draft } from './drafts';
import { redrive_edited } from './edit_redrive';
import { use_remembered, type Try } from './tries';
import { age_text, iso, time_text } from '../parts/format';
import { GONE } from '../letters/meanwhile';

interface DraftProps {
  queue: string;
  id: string;
  is_gone: boolean; // the letter, or its message
  reason?: string; // why it cannot be edited now
  on_edit?: () => void;
}

function said_of(at: number, tried: Try | undefined, is_gone: boolean): string {
  if (!tried) return `An edit of this letter was begun ${age_text(iso(at))} and not sent.${is_gone ? ` ${GONE}` : ''}`;
  const sent = `An edit of this letter was sent at ${time_text(iso(tried.at))}, and its answer was lost: it may have gone.`;
  return `${sent} ${is_gone ? GONE : 'The letter is still here.'}`;
}

export function DraftNote({ queue, id, is_gone, reason, on_edit }: DraftProps) {
  const [, redraw] = useState(0);
  const [busy, set_busy] = useState(false);
  const draft = draft_of(queue, id);
  const tried = draft?.tried;
  const is_remembered = use_remembered(tried ?? null);
  if (!draft) return null;
  const throw_away = () => {
    end_draft(queue, id);
    redraw((n) => n + 1);
  };
  const repeat = async (options: NonNullable<Try['options']>) => {
    const { task, result } = await redrive_edited(queue, id, options, tried!.request);
    if (result.kind === 'moved') end_draft(queue, id);
    if (result.kind === 'none') keep_draft(queue, id, { ...draft, tried: undefined });
    go(`/redrives/${task}`);
  };
  const press = (options: NonNullable<Try['options']>) => {
    set_busy(true);
    void repeat(options)
      .catch(say_wrong)
      .finally(() => set_busy(false));
  };
  const options = is_remembered ? tried?.options : undefined;
  return (
    <div class="note info" role="region" aria-label={tried ? 'An edit whose answer was lost' : 'An edit that was not sent'}>
      <p>
        {said_of(draft.at, tried, is_gone)}
        {options && ' Another try is answered as the first one, and sends nothing twice.'}
        {is_gone && ' The edit can be copied from here.'}
      </p>
      {is_gone && (
        <>
          {draft.shown !== undefined && <Area label="Body, as it was edited" value={draft.shown} rows={12} read_only />}
          {draft.patch !== undefined && <Area label="JSON Patch of the body" value={draft.patch} rows={6} read_only />}
          {draft.attributes !== undefined && (
            <Area label="Attributes, as they were edited" value={draft.attributes} rows={4} read_only />
          )}
        </>
      )}
      <div class="bar">
        {options && (
          <Button kind="main" busy={busy} reason={reason} on_click={() => press(options)}>
            Try again
          </Button>
        )}
        {!is_gone && (
          <Button kind={options ? 'plain' : 'main'} on_click={on_edit} reason={reason}>
            Go on with the edit
          </Button>
        )}
        <Button on_click={throw_away}>Throw the edit away</Button>
      </div>
    </div>
  );
}
