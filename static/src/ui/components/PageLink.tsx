/** A link to another page of the client: no loading, and yet a real address, for another tab. */
import type { AnchorHTMLAttributes } from "react";
import { navigate } from "../../app/route";

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & {
  to: string;
  /** It was followed here. */
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
