// An edit of a dead letter that was begun and not sent.
import { useState } from 'preact/hooks';
import { Area, Button } from '../parts/controls';
import { draft_of, end_draft } from './drafts';
import { age_text, iso } from '../parts/format';
import { GONE } from '../letters/meanwhile';

interface DraftProps {
  queue: string;
  id: string;
  is_gone: boolean; // the letter, or its message
  reason?: string; // why it cannot be edited now
  on_edit?: () => void;
}

export function DraftNote({ queue, id, is_gone, reason, on_edit }: DraftProps) {
  const [, redraw] = useState(0);
  const draft = draft_of(queue, id);
  if (!draft) return null;
  const throw_away = () => {
    end_draft(queue, id);
    redraw((n) => n + 1);
  };
  return (
    <div class="note info" role="region" aria-label="An edit that was not sent">
      <p>
        An edit of this letter was begun {age_text(iso(draft.at))} and not sent.
        {is_gone && ` ${GONE} The edit can be copied from here.`}
      </p>
      {is_gone && (
        <>
          {draft.shown !== undefined && <Area label="Body, as it was edited" value={draft.shown} rows={12} read_only />}
          {draft.patch !== undefined && <Area label="JSON Patch of the body" value={draft.patch} rows={6} read_only />}
          <Area label="Attributes, as they were edited" value={draft.attributes} rows={4} read_only />
        </>
      )}
      <div class="bar">
        {!is_gone && (
          <Button kind="main" on_click={on_edit} reason={reason}>
            Go on with the edit
          </Button>
        )}
        <Button on_click={throw_away}>Throw the edit away</Button>
      </div>
    </div>
  );
}
