/** Buttons of a gate, and their hints. */
import type { Choice, Gate, SessionId } from "../../protocol";
import { useTexts } from "../../i18n/locale";
import { focusComposer } from "../composer/focusComposer";
import { Icon } from "../components/Icon";
import { KeyHint } from "../components/KeyHint";
import { type ActionLabels, needsSeveral } from "./gateText";
import { useSession } from "../../app/hooks";
import { setDraft } from "../../app/drafts";
import { Avatar, emblemOf } from "../components/Avatar";
import { agentName, agentOf } from "../names";

/** Actions that open a field or a form. */
export type GateMode = "edit" | "reject" | "respond" | "standing";

/**
 * Returns the id of the element with the cost of another version, which describes the button that rejects
 * this one.
 */
export function rewriteCostId(gate: Gate): string {
  return `rewrite-cost-${gate.id}`;
}

/** Gate, my state at it, and my actions. */
export interface GateButtonsProps {
  gate: Gate;
  labels: ActionLabels;
  /**
   * True after an interrupt, when people are more likely to say how to continue than to approve an incomplete
   * text.
   */
  feedbackFirst: boolean;
  /** My latest choice. */
  chosen: Choice | null;
  disabled: boolean;
  /** Id of the notice that explains why I cannot approve. */
  excludedById?: string;
  /** False while nothing is left to approve. */
  approvable: boolean;
  onApprove: () => void;
  onAbstain: () => void;
  onMode: (mode: GateMode) => void;
}

/**
 * My actions at the gate. The most likely one is highlighted, unless only people know whether repeating a
 * call is safe.
 */
export function GateButtons(props: GateButtonsProps) {
  const { gate, labels, feedbackFirst, chosen, disabled, onMode } = props;
  const texts = useTexts();
  const approve = feedbackFirst ? texts.gate.approveAnyway : labels.approve;
  return (
    <div className={feedbackFirst ? "dock-actions feedback-first" : "dock-actions"}>
      {feedbackFirst && (
        <button type="button" className="primary" aria-keyshortcuts="Alt+E" onClick={focusComposer}>
          <Icon name="reply" />
          {texts.gate.instead}
          <KeyHint alt="e" />
        </button>
      )}
      <ApproveButton {...props} label={approve} isPrimary={!feedbackFirst && gate.kind !== "uncertain"} />
      {gate.kind === "tool" && gate.allow.includes("approve") && (
        <button type="button" disabled={disabled} onClick={() => onMode("standing")}>
          <Icon name="key" />
          {texts.standingPermissions.open}
        </button>
      )}
      <EditButton {...props} />
      {labels.respond && gate.allow.includes("respond") && (
        <button type="button" aria-keyshortcuts="Alt+I" disabled={disabled} onClick={() => onMode("respond")}>
          <Icon name="reply" />
          {labels.respond}
          <KeyHint alt="i" />
        </button>
      )}
      <AbstainButton {...props} />
      {gate.allow.includes("reject") && (
        <button
          type="button"
          className="danger"
          aria-keyshortcuts="Alt+R"
          aria-describedby={rewriteCostId(gate)}
          disabled={disabled}
          onClick={() => onMode("reject")}
        >
          <Icon name="cross" />
          {chosen === "reject" ? texts.gate.rejecting : labels.reject}
          <KeyHint alt="r" />
        </button>
      )}
    </div>
  );
}

interface ApproveButtonProps extends GateButtonsProps {
  label: string;
  isPrimary: boolean;
}

export function ApproveButton(props: ApproveButtonProps) {
  const { gate, label, isPrimary, chosen, disabled, excludedById, approvable, onApprove } = props;
  const texts = useTexts();
  if (!gate.allow.includes("approve")) return null;
  return (
    <button
      type="button"
      className={isPrimary ? "primary" : ""}
      aria-keyshortcuts="Alt+A"
      data-act="approve"
      disabled={disabled}
      // The button stays focusable, so that Alt+A reaches it and a screen reader says why nothing can be
      // approved.
      aria-disabled={!!excludedById || !approvable || undefined}
      aria-describedby={excludedById}
      // The second click of a double click was meant for the previous content.
      onClick={(event) => event.detail < 2 && !excludedById && approvable && onApprove()}
    >
      <Icon name="check" />
      {chosen === "approve" ? texts.gate.approving : label}
      <KeyHint alt="a" />
    </button>
  );
}

export function EditButton({ gate, labels, disabled, onMode }: GateButtonsProps) {
  if (!gate.allow.includes("edit")) return null;
  return (
    <button type="button" aria-keyshortcuts="Alt+E" disabled={disabled} onClick={() => onMode("edit")}>
      <Icon name="pencil" />
      {labels.edit}
      <KeyHint alt="e" />
    </button>
  );
}

export function AbstainButton({ gate, chosen, disabled, onAbstain }: GateButtonsProps) {
  const texts = useTexts();
  if (!needsSeveral(gate) || !gate.allow.includes("approve")) return null;
  return (
    <button type="button" disabled={disabled} onClick={(event) => event.detail < 2 && onAbstain()}>
      <Icon name="dash" />
      {chosen === "abstain" ? texts.gate.abstaining : texts.gate.abstain}
    </button>
  );
}

interface GateHintsProps {
  session: SessionId;
  gate: Gate;
  interrupted: boolean;
}

/** Effects of a decision, in a sentence or two. */
export function GateHints({ session, gate, interrupted }: GateHintsProps) {
  const texts = useTexts();
  const last = useSession(session, (state) => state.team?.agents.find((agent) => agent.role === "optimizer"));
  const { gates } = texts.work;
  if (gate.kind !== "feedback" && gate.kind !== "question") {
    return (
      <ul className="dock-hints">
        <li>{gates[gate.kind].hint}</li>
      </ul>
    );
  }
  const approve = interrupted
    ? texts.gate.hintApproveCut
    : last
      ? texts.gate.hintApprove(last.name)
      : texts.gate.hintApprovePlain;
  const hints = [
    gate.allow.includes("approve") && approve,
    gate.allow.includes("respond") &&
      `${texts.gate.hintAll} ${gate.agents.length > 0 ? texts.gate.hintAgent : ""}`,
  ];
  if (interrupted) hints.reverse();
  return <ul className="dock-hints">{hints.map((hint) => hint && <li key={hint}>{hint}</li>)}</ul>;
}

/** Agents for feedback: one click inserts a mention into the composer. */
export function MentionButtons({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useTexts();
  const team = useSession(session, (state) => state.team);
  const mention = (name: string) => {
    setDraft(session, (draft) => `@${name} ${draft.replace(/^[@＠]\S+\s*/, "")}`);
    focusComposer();
  };
  if (gate.agents.length === 0) return null;
  return (
    <div className="address" role="group" aria-label={texts.gate.address}>
      <span>{texts.gate.address}</span>
      <button type="button" className="chip" title={texts.timeline.all} onClick={() => mention("all")}>
        @all
      </button>
      {gate.agents.map((id) => {
        const agent = agentOf({ team }, id);
        const name = agentName({ team }, id);
        return (
          <button key={id} type="button" className="chip" onClick={() => mention(name)}>
            <Avatar kind="agent" id={id} name={name} icon={emblemOf(agent)} size="s" />@{name}
          </button>
        );
      })}
    </div>
  );
}
