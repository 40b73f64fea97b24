/** What did not work, in the words of whoever refused it. */
import type { ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "./Icon";

interface Props {
  /** What was refused. */
  lead?: string;
  /** It has been read. */
  onDismiss?: () => void;
  children: ReactNode;
}

export function Refusal({ lead, onDismiss, children }: Props) {
  const words = useWords();
  return (
    <p className="refusal" role="alert">
      <Icon name="warning" size={14} />
      <span>
        {lead && <strong>{lead}</strong>} {children}
      </span>
      {onDismiss && (
        <button type="button" className="quiet small" onClick={onDismiss}>
          {words.common.dismiss}
        </button>
      )}
    </p>
  );
}
