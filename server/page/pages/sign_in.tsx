// SignIn is the sign-in page. It asks for a token. The browser keeps a session, not the token.
import { useState } from 'preact/hooks';
import { session, sign_in } from '../api/session';
import { Button, Input } from '../parts/controls';
import { use_store } from '../store';
import { Text, visible } from '../parts/text';

export function SignIn() {
  const { ended, left } = use_store(session);
  const [token, set_token] = useState('');
  const [wrong, set_wrong] = useState('');
  const [busy, set_busy] = useState(false);
  const send = async () => {
    set_busy(true);
    set_wrong('');
    try {
      await sign_in(token.trim());
    } catch (failure) {
      set_wrong((failure as Error).message);
    }
    set_busy(false);
  };
  return (
    <main class="sign-in" id="main">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <h1>Holdfast</h1>
        <p>This server wants to know who you are.</p>
        {ended !== undefined && (
          <p class="note warning" role="status">
            The session of <Text of={ended} /> is over: a session lasts 12 hours, and ends earlier if the server is
            restarted or the token is revoked.
          </p>
        )}
        {left !== undefined && (
          <p class="note" role="status">
            <Text of={left} /> signed out in another tab.
          </p>
        )}
        <Input
          label="Token"
          type="password"
          value={token}
          on_change={set_token}
          auto_focus
          hint="holdfast-token makes one. The browser keeps a session of 12 hours, not the token."
        />
        {wrong && (
          <p class="note critical" role="alert">
            {visible(wrong)}
          </p>
        )}
        <Button submit kind="main" busy={busy} reason={token.trim() === '' ? 'The token is missing.' : undefined}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
