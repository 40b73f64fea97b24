/** What did not work, in the words of whoever refused it. */
import type { ReactNode } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "./Icon";
import { toSentence } from "../../text/toSentence";

interface Props {
  /** What was refused. */
  lead?: string;
  /** It has been read. */
  onDismiss?: () => void;
  children: ReactNode;
}

/** What the server says, as a sentence; what is to be typed stands out. */
function Said({ text }: { text: string }) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return toSentence(text);
  return parts.map((part, i) =>
    i % 2 === 1 ? <code key={i}>{part}</code> : i === 0 ? toSentence(part) : part,
  );
}

export function ErrorNotice({ lead, onDismiss, children }: Props) {
  const words = useWords();
  return (
    <p className="refusal" role="alert">
      <Icon name="warning" size={14} />
      <span>
        {lead && <strong>{lead}</strong>} {typeof children === "string" ? <Said text={children} /> : children}
      </span>
      {onDismiss && (
        <button type="button" className="quiet small" onClick={onDismiss}>
          {words.common.dismiss}
        </button>
      )}
    </p>
  );
}
