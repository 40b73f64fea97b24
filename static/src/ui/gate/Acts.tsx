/**
 * What I may do about the gate: one button stands out, the one that is most likely meant. None does where only people
 * know whether doing it again does harm.
 */
import type { Choice, Gate } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focus";
import { Icon } from "../parts/Icon";
import type { ActWords } from "./words";

/** What takes a field or a form to do. */
export type Mode = "edit" | "reject" | "respond";

interface Props {
  gate: Gate;
  words: ActWords;
  /** The agents were stopped: then one rather says how it goes on than approves half a text. */
  feedbackFirst: boolean;
  /** What I have just chosen. */
  chosen: Choice | null;
  disabled: boolean;
  /** A key approves. */
  byKey: boolean;
  onApprove: () => void;
  onMode: (mode: Mode) => void;
}

export function Acts({
  gate,
  words: acts,
  feedbackFirst,
  chosen,
  disabled,
  byKey,
  onApprove,
  onMode,
}: Props) {
  const words = useWords();
  const approve = feedbackFirst ? words.gate.approveAnyway : acts.approve;
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
          className={feedbackFirst || gate.kind === "uncertain" ? "" : "primary"}
          aria-keyshortcuts={byKey ? "a" : undefined}
          disabled={disabled}
          // The second press of two was meant for whatever stood here before.
          onClick={(event) => event.detail < 2 && onApprove()}
        >
          <Icon name="check" />
          {chosen === "approve" ? words.gate.approving : approve}
          {/* It keeps its place: buttons that moved as the key came would be under a press meant for another. */}
          <kbd className={byKey ? "" : "unseen"}>a</kbd>
        </button>
      )}
      {gate.allow.includes("edit") && (
        <button type="button" aria-keyshortcuts="e" disabled={disabled} onClick={() => onMode("edit")}>
          <Icon name="pencil" />
          {acts.edit}
          <kbd>e</kbd>
        </button>
      )}
      {acts.respond && gate.allow.includes("respond") && (
        <button type="button" aria-keyshortcuts="i" disabled={disabled} onClick={() => onMode("respond")}>
          <Icon name="reply" />
          {acts.respond}
          <kbd>i</kbd>
        </button>
      )}
      {gate.allow.includes("reject") && (
        <button
          type="button"
          className="danger"
          aria-keyshortcuts="r"
          disabled={disabled}
          onClick={() => onMode("reject")}
        >
          <Icon name="cross" />
          {chosen === "reject" ? words.gate.rejecting : acts.reject}
          <kbd>r</kbd>
        </button>
      )}
    </div>
  );
}
