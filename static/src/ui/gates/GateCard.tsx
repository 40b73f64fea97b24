/** Open gate: the question, its subject, and my actions. */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Choice, Gate, SessionId } from "../../protocol";
import { canAnswer, canDecide, isAfterInterrupt } from "../../state/gateSelectors";
import { canBeCommentedOn, takesComments } from "../../state/commentThreads";
import { hasRight, ownMember } from "../../state/participants";
import { discardGateDrafts } from "../../app/drafts";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { useShortcuts } from "../../app/shortcuts";
import { removeUnsentApproval } from "../../app/unsentApprovals";
import { useFormat, useTexts } from "../../i18n/locale";
import { focusComposer } from "../composer/focusComposer";
import { Icon } from "../components/Icon";
import { onDemand } from "../components/onDemand";
import { CommandError } from "../components/ErrorNotice";
import { escapeBidi } from "../../text/hiddenCharacters";
import { GateButtons, type GateMode, MentionButtons, GateHints, rewriteCostId } from "./GateButtons";
import { CallSubject, Deadline, PlanSubject, VoteTally } from "./GateDetails";
import { EditingNotice, SubjectEditor } from "./SubjectEditor";
import { focusApprove, useScrollIntoView, useFocusTakeover, useFocusHandover } from "./focus";
import { PendingApproval, useApproval } from "./Approval";
import { ApproversLine } from "./ApproversLine";
import { LinkQuestion, QuestionOrigin, QuestionForm } from "./QuestionForm";
import { RejectForm, RespondForm } from "./TextDecisionForms";
import { ProposedPermission, StandingForm } from "./StandingForm";
import { dutiesId, useIsExcluded } from "./SeparateDuties";
import { RevisionNotice } from "./SubjectDiff";
import type { ReducedPlan } from "../votes/PlanItemSelection";
import {
  pendingCommandAt,
  actionLabels,
  eligibleRoles,
  gateTitle,
  iconOf,
  quorumText,
  takesVotes,
} from "./gateText";

const RuleSubject = onDemand(() => import("../rules/RuleSubject").then((part) => part.RuleSubject));
// People must not confirm items that they have not seen, so the plan is shown before its checkboxes.
const PlanItemSelection = onDemand(
  () => import("../votes/PlanItemSelection").then((part) => part.PlanItemSelection),
  undefined,
  PlanSubject,
);
const CommandSubject = onDemand(() =>
  import("../commands/CommandSubject").then((part) => part.CommandSubject),
);
const GateComments = onDemand(() => import("../comments/GateComments").then((part) => part.GateComments));
const BudgetSubject = onDemand(() => import("../budget/BudgetSubject").then((part) => part.BudgetSubject));
const RewriteCost = onDemand(
  () => import("../run/DecisionCost").then((part) => part.RewriteCost),
  undefined,
  () => null,
);
// The usual buttons are shown until the buttons for budgets are loaded.
const BudgetButtons = onDemand(
  () => import("../budget/BudgetButtons").then((part) => part.BudgetButtons),
  undefined,
  GateButtons,
);

interface Props {
  session: SessionId;
  gate: Gate;
  /** True if this gate is the selected one. */
  shown: boolean;
  /** True if it automatically replaced another gate. */
  replaces: boolean;
}

export function GateCard({ session, gate, shown, replaces }: Props) {
  const texts = useTexts();
  const client = useClient();
  const me = useMe();
  const live = useLive();
  const box = useRef<HTMLElement>(null);
  const [mode, setMode] = useState<GateMode | null>(null);
  const [cheaperModel, setCheaperModel] = useState(false);
  const [folded, setFolded] = useState(false);
  const [commenting, setCommenting] = useState(false);
  const [chosen, setPart] = useState<ReducedPlan | null>(null);
  // Items that were selected in an older revision do not apply to the plan on screen.
  const part = chosen?.rev === gate.rev ? chosen : null;
  const canVote = useSession(session, (state) => canDecide(state, gate, me));
  const canAnswerQuestions = useSession(
    session,
    (state) => !!ownMember(state, me) && state.rights.includes("answer"),
  );
  const commentable = useSession(session, (state) => canBeCommentedOn(state, gate));
  const interrupted = useSession(session, (state) => isAfterInterrupt(state, gate));
  const pending = useSession(session, (state) => pendingCommandAt(state.pending, gate));
  const team = useSession(session, (state) => state.team);
  const excluded = useIsExcluded(session, gate);
  const busy = !!pending && !pending.error;
  const sendState = { busy, failed: !!pending?.error };
  // A person who votes on behalf of someone else might not be able to answer in their own role.
  const own = useSession(session, (state) => canAnswer(state, gate, me));
  const edits = useSession(session, (state) => hasRight(state, "edit"));
  const answers = useSession(session, (state) => hasRight(state, "answer"));
  const actions = gate.allow.filter((action) =>
    action === "respond" ? own && answers : action !== "edit" || edits,
  );
  const can = (action: Gate["allow"][number]) => canVote && live && actions.includes(action);
  const question = gate.kind === "question";
  const voting = takesVotes(gate);
  const isVisible = shown && !folded;
  const approval = useApproval(session, gate, can("approve") && !excluded && !busy && !mode, isVisible);
  const approve = () => {
    if (!part) approval.approve();
    else if (part.plan && can("edit")) client.vote(session, gate, "approve", { edit: { ...part.plan } });
  };
  // Editing or rejecting the subject withdraws a delayed approval.
  const open = (next: GateMode) => {
    approval.undo();
    setCheaperModel(false);
    setMode(next);
  };
  const focusForm = () =>
    box.current?.querySelector<HTMLElement>(".question :is(input, textarea, select)")?.focus();
  useShortcuts(
    {
      // The shortcut only moves the focus and Enter decides, so that no single key press decides.
      "Alt+a": () => {
        // A folded card has no button to focus yet.
        flushSync(() => setFolded(false));
        focusApprove();
      },
      "Alt+r": () => (question ? focusForm() : can("reject") ? open("reject") : focusComposer()),
    },
    shown && !mode,
  );
  // Only for calls, because other gates are answered with plain text.
  useShortcuts(
    { "Alt+i": () => open("respond") },
    shown && !mode && !!actionLabels(gate, texts).respond && can("respond"),
  );
  useShortcuts(
    { "Alt+e": () => (question ? focusForm() : open("edit")) },
    shown && (can("edit") || (question && canVote)),
    true,
  );
  useEffect(() => {
    if (!busy) return;
    discardGateDrafts(session, gate.id);
    removeUnsentApproval({ session, gate: gate.id });
  }, [busy, session, gate.id]);
  // Only an accepted action closes the field. After a rejection, the field stays open, with the error next to
  // it.
  const acting = useRef(false);
  useLayoutEffect(() => {
    if (acting.current && !pending) setMode(null);
    acting.current = busy;
  }, [busy, pending]);
  useFocusHandover(box, busy);
  useFocusTakeover(box, shown && replaces);
  useScrollIntoView(box, shown);
  // When a field disappears, the focus moves to the card.
  const close = () => {
    setMode(null);
    box.current?.focus({ preventScroll: true });
  };
  const buttons = {
    gate: { ...gate, allow: actions },
    labels: { ...actionLabels(gate, texts), ...(part && { approve: part.label }) },
    feedbackFirst: interrupted && canAnswerQuestions && gate.allow.includes("respond"),
    chosen: busy ? ((pending.command.data?.choice as Choice | undefined) ?? null) : null,
    disabled: busy || !live,
    // If the plan was reduced, others vote on the changed plan, so the exclusion does not apply.
    excludedById: excluded && !part ? dutiesId(gate) : undefined,
    approvable: part?.plan !== null,
    onApprove: approve,
    onAbstain: () => client.vote(session, gate, "abstain"),
    onMode: open,
  };
  const commandError = pending?.error && <CommandError session={session} pending={pending} />;

  return (
    <section
      ref={box}
      className={`dock ${gate.kind}${mode ? ` in-${mode}` : ""}${folded ? " folded" : ""}`}
      aria-label={texts.gate.label}
      data-testid="gate"
      data-kind={gate.kind}
      tabIndex={-1}
      hidden={!shown}
    >
      <header className="dock-head">
        <Icon name={iconOf(gate)} size={18} />
        <h2>{gateTitle({ team }, gate, texts)}</h2>
        <p className="dock-terms">
          {voting && <span className="dock-rule">{quorumText(gate.quorum, texts)}</span>}
          {gate.deadline && <Deadline at={gate.deadline} />}
        </p>
        {canAnswerQuestions && commentable && !gate.threads?.length && !commenting && (
          <button
            type="button"
            className="quiet dock-comment"
            aria-label={texts.gate.addComment}
            title={texts.gate.addComment}
            onClick={() => {
              setFolded(false);
              setCommenting(true);
            }}
          >
            <Icon name="chat" size={14} />
          </button>
        )}
        <button
          type="button"
          className="quiet dock-fold"
          aria-expanded={!folded}
          aria-label={folded ? texts.gate.unfold : texts.gate.fold}
          title={folded ? texts.gate.unfold : texts.gate.fold}
          onClick={() => setFolded(!folded)}
        >
          <Icon name="chevron" size={14} />
        </button>
      </header>
      <RevisionNotice session={session} gate={gate} />
      <EditingNotice session={session} gate={gate.id} />
      {gate.origin ? (
        <QuestionOrigin origin={gate.origin} />
      ) : (
        gate.context &&
        !gate.budget &&
        !gate.rule && <p className="dock-context">{escapeBidi(gate.context)}</p>
      )}
      {mode !== "edit" &&
        gate.kind === "plan" &&
        (canVote && edits && gate.allow.includes("edit") ? (
          <PlanItemSelection session={session} gate={gate} disabled={busy} onReduce={setPart} />
        ) : (
          <PlanSubject session={session} />
        ))}
      {gate.budget && <BudgetSubject session={session} gate={gate} editing={mode === "edit"} />}
      {gate.rule && <RuleSubject session={session} rule={gate.rule} />}
      {gate.command && <CommandSubject session={session} gate={gate} command={gate.command} />}
      {mode !== "edit" && !question && gate.call && <CallSubject session={session} call={gate.call} />}
      {!question && !mode && canVote && <GateHints gate={gate} session={session} interrupted={interrupted} />}
      {canVote && (!mode || mode === "reject") && (gate.kind === "feedback" || gate.kind === "plan") && (
        <RewriteCost session={session} gate={gate} id={rewriteCostId(gate)} />
      )}
      {voting && mode !== "edit" && <VoteTally session={session} gate={gate} />}
      {/* People who can answer see the form instead. */}
      {question && !canVote && <ApproversLine session={session} gate={gate} />}
      {isVisible && mode !== "edit" && takesComments(gate) && (commenting || !!gate.threads?.length) && (
        <GateComments session={session} gate={gate} canComment={canAnswerQuestions} opens={commenting} />
      )}
      {mode !== "standing" && <ProposedPermission session={session} gate={gate} />}
      {gate.kind === "feedback" && canAnswerQuestions && gate.allow.includes("respond") && (
        <MentionButtons session={session} gate={gate} />
      )}
      {!canVote ? (
        <CannotDecideNotice gate={gate} canAnswerQuestions={canAnswerQuestions} />
      ) : gate.origin?.link ? (
        <LinkQuestion session={session} gate={gate} link={gate.origin.link} sendState={sendState}>
          {commandError}
        </LinkQuestion>
      ) : question ? (
        <QuestionForm session={session} gate={gate} sendState={sendState}>
          {commandError}
        </QuestionForm>
      ) : mode === "reject" ? (
        <RejectForm session={session} gate={gate} sendState={sendState} onClose={close}>
          {commandError}
        </RejectForm>
      ) : mode === "respond" ? (
        <RespondForm session={session} gate={gate} sendState={sendState} onClose={close}>
          {commandError}
        </RespondForm>
      ) : mode === "standing" ? (
        <StandingForm
          session={session}
          gate={gate}
          sendState={sendState}
          isVisible={isVisible}
          onClose={close}
        >
          {commandError}
        </StandingForm>
      ) : mode === "edit" ? (
        <SubjectEditor
          session={session}
          gate={gate}
          sendState={sendState}
          isVisible={isVisible}
          cheaperModel={cheaperModel}
          onClose={close}
        >
          {commandError}
        </SubjectEditor>
      ) : approval.due !== null ? (
        <PendingApproval {...approval} due={approval.due} />
      ) : gate.budget ? (
        <>
          {commandError}
          <BudgetButtons
            {...buttons}
            session={session}
            onCheaper={() => {
              open("edit");
              setCheaperModel(true);
            }}
          />
        </>
      ) : (
        <>
          {commandError}
          <GateButtons {...buttons} />
        </>
      )}
    </section>
  );
}

function CannotDecideNotice({ gate, canAnswerQuestions }: { gate: Gate; canAnswerQuestions: boolean }) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <p className="dock-cannot">
      <Icon name="eye" size={14} />{" "}
      {gate.kind === "question"
        ? texts.work.gates.question.cannot
        : texts.gate.cannot(format.list(eligibleRoles(gate, texts)), canAnswerQuestions)}
    </p>
  );
}
