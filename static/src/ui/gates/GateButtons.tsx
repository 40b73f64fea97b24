/** Buttons of a gate, and their hints. */
import type { Choice, Gate, SessionId } from "../../protocol";
import { useWords } from "../../i18n/locale";
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

interface Props {
  gate: Gate;
  words: ActionLabels;
  /** True after an interrupt: people are then more likely to say how to continue than to approve an incomplete text. */
  feedbackFirst: boolean;
  /** My latest choice. */
  chosen: Choice | null;
  disabled: boolean;
  /** Id of the notice that explains why I cannot approve. */
  barredBy?: string;
  /** False while nothing is left to approve. */
  approvable: boolean;
  onApprove: () => void;
  onAbstain: () => void;
  onMode: (mode: GateMode) => void;
}

/**
 * My actions at the gate. The most likely one is highlighted; none is if only people know whether repeating a call is
 * safe.
 */
export function GateButtons({
  gate,
  words: acts,
  feedbackFirst,
  chosen,
  disabled,
  barredBy,
  approvable,
  onApprove,
  onAbstain,
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
          // Still focusable: Alt+A leads here, and a screen reader then says why nothing can be approved.
          aria-disabled={!!barredBy || !approvable || undefined}
          aria-describedby={barredBy}
          // The second click of a double click was meant for the previous content.
          onClick={(event) => event.detail < 2 && !barredBy && approvable && onApprove()}
        >
          <Icon name="check" />
          {chosen === "approve" ? words.gate.approving : approve}
          <KeyHint alt="a" />
        </button>
      )}
      {gate.kind === "tool" && gate.allow.includes("approve") && (
        <button type="button" disabled={disabled} onClick={() => onMode("standing")}>
          <Icon name="key" />
          {words.standing.open}
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
      {needsSeveral(gate) && gate.allow.includes("approve") && (
        <button type="button" disabled={disabled} onClick={(event) => event.detail < 2 && onAbstain()}>
          <Icon name="dash" />
          {chosen === "abstain" ? words.gate.abstaining : words.gate.abstain}
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

interface GateHintsProps {
  session: SessionId;
  gate: Gate;
  interrupted: boolean;
}

/** Effects of a decision, in a sentence or two. */
export function GateHints({ session, gate, interrupted }: GateHintsProps) {
  const words = useWords();
  const last = useSession(session, (state) => state.team?.agents.find((agent) => agent.role === "optimizer"));
  const { gates } = words.work;
  if (gate.kind !== "feedback" && gate.kind !== "question") {
    return (
      <ul className="dock-hints">
        <li>{gates[gate.kind].hint}</li>
      </ul>
    );
  }
  const approve = interrupted
    ? words.gate.hintApproveCut
    : last
      ? words.gate.hintApprove(last.name)
      : words.gate.hintApprovePlain;
  const hints = [
    gate.allow.includes("approve") && approve,
    gate.allow.includes("respond") &&
      `${words.gate.hintAll} ${gate.agents.length > 0 ? words.gate.hintAgent : ""}`,
  ];
  if (interrupted) hints.reverse();
  return <ul className="dock-hints">{hints.map((hint) => hint && <li key={hint}>{hint}</li>)}</ul>;
}

/** Agents for feedback: one click inserts a mention into the composer. */
export function MentionButtons({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const team = useSession(session, (state) => state.team);
  const mention = (name: string) => {
    setDraft(session, (draft) => `@${name} ${draft.replace(/^[@＠]\S+\s*/, "")}`);
    focusComposer();
  };
  if (gate.agents.length === 0) return null;
  return (
    <div className="address" role="group" aria-label={words.gate.address}>
      <span>{words.gate.address}</span>
      <button type="button" className="chip" title={words.timeline.all} onClick={() => mention("all")}>
        @all
      </button>
      {gate.agents.map((id) => {
        const agent = agentOf({ team }, id);
        const name = agentName({ team }, id);
        return (
          <button key={id} type="button" className="chip" onClick={() => mention(name)}>
            <Avatar kind="agent" id={id} name={name} emblem={emblemOf(agent)} size="s" />@{name}
          </button>
        );
      })}
    </div>
  );
}
