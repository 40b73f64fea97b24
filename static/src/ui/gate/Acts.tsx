/** What I may do about the gate: one button stands out, the one that is most likely meant. */
import type { Choice, Gate } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focus";
import { Icon } from "../parts/Icon";

interface Props {
  gate: Gate;
  /** The agents were stopped: then one rather says how it goes on than approves half a text. */
  feedbackFirst: boolean;
  /** What I have just chosen. */
  chosen: Choice | null;
  disabled: boolean;
  onApprove: () => void;
  onReject: () => void;
}

export function Acts({ gate, feedbackFirst, chosen, disabled, onApprove, onReject }: Props) {
  const words = useWords();
  const approve = feedbackFirst ? words.gate.approveAnyway : words.gate.approve;
  return (
    <div className={feedbackFirst ? "dock-actions feedback-first" : "dock-actions"}>
      {feedbackFirst && (
        <button type="button" className="primary" aria-keyshortcuts="e" onClick={focusComposer}>
          <Icon name="reply" />
          {words.gate.instead}
          <kbd>e</kbd>
        </button>
      )}
      {gate.allow.includes("approve") && (
        <button
          type="button"
          className={feedbackFirst ? "" : "primary"}
          aria-keyshortcuts="a"
          disabled={disabled}
          onClick={onApprove}
        >
          <Icon name="check" />
          {chosen === "approve" ? words.gate.approving : approve}
          <kbd>a</kbd>
        </button>
      )}
      {gate.allow.includes("reject") && (
        <button type="button" className="danger" aria-keyshortcuts="r" disabled={disabled} onClick={onReject}>
          <Icon name="cross" />
          {chosen === "reject" ? words.gate.rejecting : words.gate.reject}
          <kbd>r</kbd>
        </button>
      )}
    </div>
  );
}
