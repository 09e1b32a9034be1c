// Shows an error in place of a page that cannot be drawn. What was drawn before must not stay, since its buttons would
// act on outdated data.
import { Component, type ComponentChildren } from 'preact';
import { Button } from './controls';
import { visible } from './text';

interface Props {
  children: ComponentChildren;
}

interface State {
  failure?: unknown;
}

export class Boundary extends Component<Props, State> {
  override componentDidCatch(failure: unknown): void {
    console.error(failure);
    this.setState({ failure: failure ?? 'without a reason' });
  }

  override render({ children }: Props, { failure }: State) {
    if (failure === undefined) return children;
    return (
      <div class="note critical" role="alert">
        <p>This page failed: {visible(failure instanceof Error ? failure.message : String(failure))}</p>
        <p>What was typed into it and not sent is lost, unless it is kept as a draft.</p>
        <Button on_click={() => location.reload()}>Reload</Button>
      </div>
    );
  }
}
