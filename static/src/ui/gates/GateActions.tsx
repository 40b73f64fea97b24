/**
 * What I may do about the gate: one button stands out, the one that is most likely meant. None does where only people
 * know whether doing it again does harm.
 */
import type { Choice, Gate } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focusComposer";
import { Icon } from "../components/Icon";
import { KeyHint } from "../components/KeyHint";
import type { ActionLabels } from "./gateText";

/** What takes a field or a form to do. */
export type GateMode = "edit" | "reject" | "respond";

interface Props {
  gate: Gate;
  words: ActionLabels;
  /** The agents were stopped: then one rather says how it goes on than approves half a text. */
  feedbackFirst: boolean;
  /** What I have just chosen. */
  chosen: Choice | null;
  disabled: boolean;
  onApprove: () => void;
  onMode: (mode: GateMode) => void;
}

export function GateActions({
  gate,
  words: acts,
  feedbackFirst,
  chosen,
  disabled,
  onApprove,
  onMode,
}: Props) {
  const words = useWords();
  const approve = feedbackFirst ? words.gate.approveAnyway : acts.approve;
  return (
    <div className={feedbackFirst ? "dock-actions feedback-first" : "dock-actions"}>
      {feedbackFirst && (
        <button type="button" className="primary" aria-keyshortcuts="Alt+E" onClick={focusComposer}>
          <Icon name="reply" />
          {words.gate.instead}
          <KeyHint alt="e" />
        </button>
      )}
      {gate.allow.includes("approve") && (
        <button
          type="button"
          className={feedbackFirst || gate.kind === "uncertain" ? "" : "primary"}
          aria-keyshortcuts="Alt+A"
          data-act="approve"
          disabled={disabled}
          // The second press of two was meant for whatever stood here before.
          onClick={(event) => event.detail < 2 && onApprove()}
        >
          <Icon name="check" />
          {chosen === "approve" ? words.gate.approving : approve}
          <KeyHint alt="a" />
        </button>
      )}
      {gate.allow.includes("edit") && (
        <button type="button" aria-keyshortcuts="Alt+E" disabled={disabled} onClick={() => onMode("edit")}>
          <Icon name="pencil" />
          {acts.edit}
          <KeyHint alt="e" />
        </button>
      )}
      {acts.respond && gate.allow.includes("respond") && (
        <button type="button" aria-keyshortcuts="Alt+I" disabled={disabled} onClick={() => onMode("respond")}>
          <Icon name="reply" />
          {acts.respond}
          <KeyHint alt="i" />
        </button>
      )}
      {gate.allow.includes("reject") && (
        <button
          type="button"
          className="danger"
          aria-keyshortcuts="Alt+R"
          disabled={disabled}
          onClick={() => onMode("reject")}
        >
          <Icon name="cross" />
          {chosen === "reject" ? words.gate.rejecting : acts.reject}
          <KeyHint alt="r" />
        </button>
      )}
    </div>
  );
}
