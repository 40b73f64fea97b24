/**
 * Link to another page of the client: it needs no reload, but has a real URL, so that it can open in another
 * tab.
 */
import type { AnchorHTMLAttributes } from "react";
import { navigate } from "../../app/route";

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & {
  to: string;
  /** Called when the link is followed in this tab. */
  onPick?: () => void;
};

export function PageLink({ to, onPick, children, ...rest }: Props) {
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate(to);
        onPick?.();
      }}
    >
      {children}
    </a>
  );
}
