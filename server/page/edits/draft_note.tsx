// DraftNote tells of an edit of a dead letter that was started and not sent, or sent without an answer or a result.
import { useState } from 'preact/hooks';
import { go } from '../router';
import { Area, Button, say_wrong } from '../parts/controls';
import { draft_of, end_draft, keep_draft, type EditTry } from './drafts';
import { redrive_edited, result_of } from './edit_redrive';
import { age_text, iso, time_text } from '../parts/format';
import { SAME } from '../parts/lost_note';
import { is_remembered, use_remembered } from '../parts/tries';
import { GONE } from '../letters/meanwhile';

interface DraftProps {
  queue: string;
  id: string;
  is_gone: boolean; // whether the letter or its message is gone
  reason?: string; // why it cannot be edited now
  on_edit?: () => void;
}

function Said({ at, tried, is_gone }: { at: number; tried: EditTry | undefined; is_gone: boolean }) {
  if (!tried)
    return (
      <>
        An edit of this letter was started {age_text(iso(at))} and not sent.{is_gone && ` ${GONE}`}
      </>
    );
  return (
    <>
      An edit of this letter was sent at {time_text(iso(tried.at))}
      {tried.task === undefined ? (
        ', and its answer was lost: it may have gone.'
      ) : (
        <>
          {' '}
          by <a href={`/redrives/${tried.task}`}>redrive {tried.task}</a>, and what became of it was not known then.
        </>
      )}{' '}
      {is_gone ? GONE : 'The letter is still here.'}
    </>
  );
}

// Returns the accessible name of the note.
function name_of(tried: EditTry | undefined): string {
  if (!tried) return 'An edit that was not sent';
  return tried.task === undefined ? 'An edit whose answer was lost' : 'An edit whose result is not known';
}

export function DraftNote({ queue, id, is_gone, reason, on_edit }: DraftProps) {
  const [, redraw] = useState(0);
  const [busy, set_busy] = useState(false);
  const draft = draft_of(queue, id);
  const tried = draft?.tried;
  const is_known = use_remembered(tried ?? null) || tried?.task !== undefined;
  if (!draft) return null;
  const throw_away = () => {
    end_draft(queue, id);
    redraw((n) => n + 1);
  };
  const repeat = async (one: EditTry) => {
    const task = one.task ?? (await redrive_edited(queue, id, one.what!, one));
    keep_draft(queue, id, { ...draft, tried: { ...one, task } });
    const { kind } = await result_of(task);
    if (kind === 'moved') end_draft(queue, id);
    if (kind === 'none') keep_draft(queue, id, { ...draft, tried: undefined });
    go(`/redrives/${task}`);
  };
  const press = (one: EditTry) => {
    // The server may have forgotten the try since the button was drawn.
    if (one.task === undefined && !is_remembered(one)) return redraw((n) => n + 1);
    set_busy(true);
    void repeat(one)
      .catch(say_wrong)
      .finally(() => set_busy(false));
  };
  const again = is_known && (tried?.task !== undefined || tried?.what) ? tried : undefined;
  return (
    <div class="note info" role="region" aria-label={name_of(tried)}>
      <p>
        <Said at={draft.at} tried={tried} is_gone={is_gone} />
        {again && again.task === undefined && ` ${SAME}`}
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
        {again && (
          <Button kind="main" busy={busy} reason={reason} on_click={() => press(again)}>
            {again.task === undefined ? 'Try again' : 'Look again'}
          </Button>
        )}
        {!is_gone && (
          <Button kind={again ? 'plain' : 'main'} on_click={on_edit} reason={reason}>
            Go on with the edit
          </Button>
        )}
        <Button on_click={throw_away}>Throw the edit away</Button>
      </div>
    </div>
  );
}
