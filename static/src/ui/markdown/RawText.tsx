/** A text that cannot be drawn as what it is: as it was written. Around what draws it, that takes nothing else down. */
import { Component, type ReactNode } from "react";

export function RawText({ text }: { text: string }) {
  return <p className="as-written">{text}</p>;
}

interface Props {
  text: string;
  children: ReactNode;
}

interface State {
  /** The text that it was tried with: another one is tried again. */
  text: string;
  failed: boolean;
}

export class RawTextBoundary extends Component<Props, State> {
  override state = { text: this.props.text, failed: false };

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  static getDerivedStateFromProps({ text }: Props, tried: State): State | null {
    return text === tried.text ? null : { text, failed: false };
  }

  override render(): ReactNode {
    return this.state.failed ? <RawText text={this.props.text} /> : this.props.children;
  }
}
