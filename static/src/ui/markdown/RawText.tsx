/** Error boundary that shows text as written if it cannot be rendered. */
import { Component, type ReactNode } from "react";

export function RawText({ text }: { text: string }) {
  return <p className="as-written">{text}</p>;
}

interface Props {
  text: string;
  children: ReactNode;
}

interface State {
  /** Text of the last attempt. Different text is tried again. */
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
