/** One open gate: what is asked, on what, and what I may do about it. */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Choice, Gate, SessionId } from "../../protocol";
import { mayDecide, myself } from "../../state/ask";
import { forgetBegun } from "../../app/begun";
import { useLive, useMe, useSession } from "../../app/hooks";
import { useKeys } from "../../app/keys";
import { forgetUnsent } from "../../app/unsent";
import { useFormat, useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focus";
import { Icon } from "../parts/Icon";
import { RefusedCommand } from "../control/RefusedCommand";
import { agentName } from "../names";
import { inOrder } from "../work/visible";
import { Acts, type Mode } from "./Acts";
import { Address } from "./Address";
import { CallSubject } from "./CallSubject";
import { Deadline } from "./Deadline";
import { Editing } from "./Editing";
import { Editor } from "./Editor";
import { focusApprove } from "./focus";
import { Held } from "./Held";
import { Hints } from "./Hints";
import { LinkQuestion } from "./LinkQuestion";
import { Origin } from "./Origin";
import { PlanSubject } from "./PlanSubject";
import { QuestionForm } from "./QuestionForm";
import { Reject } from "./Reject";
import { Respond } from "./Respond";
import { Revised } from "./Revised";
import { Tally } from "./Tally";
import { useApproval } from "./useApproval";
import { useInView } from "./useInView";
import { useTakeOver } from "./useTakeOver";
import { useHandOver } from "./useHandOver";
import { actOf, actWords, eligibleRoles, iconOf, ruleWords, takesVotes } from "./words";

interface Props {
  session: SessionId;
  gate: Gate;
  /** It is the one of several that is looked at. */
  shown: boolean;
  /** It came up by itself in place of another one. */
  replaces: boolean;
}

export function Dock({ session, gate, shown, replaces }: Props) {
  const words = useWords();
  const me = useMe();
  const live = useLive();
  const box = useRef<HTMLElement>(null);
  const [mode, setMode] = useState<Mode | null>(null);
  const [folded, setFolded] = useState(false);
  const may = useSession(session, (state) => mayDecide(state, gate, me));
  const speaks = useSession(session, (state) => !!myself(state, me) && state.rights.includes("say"));
  const interrupted = useSession(session, (state) => !!state.run?.interrupted && !gate.call);
  const pending = useSession(session, (state) => actOf(state.pending, gate));
  const team = useSession(session, (state) => state.team);
  const busy = !!pending && !pending.refused;
  const sent = { busy, refused: !!pending?.refused };
  const can = (act: Gate["allow"][number]) => may && live && gate.allow.includes(act);
  const question = gate.kind === "question";
  const voting = takesVotes(gate);
  const seen = shown && !folded;
  const approval = useApproval(session, gate, can("approve") && !busy && !mode, seen);
  // Whoever changes or rejects it after all takes their approval back.
  const open = (next: Mode) => {
    approval.undo();
    setMode(next);
  };
  const focusForm = () =>
    box.current?.querySelector<HTMLElement>(".question :is(input, textarea, select)")?.focus();
  useKeys(
    {
      // It only leads there: Enter decides, so that no single press does.
      "Alt+a": () => {
        // A folded card has no button that could take the focus yet.
        flushSync(() => setFolded(false));
        focusApprove();
      },
      "Alt+r": () => (question ? focusForm() : can("reject") ? open("reject") : focusComposer()),
    },
    shown && !mode,
  );
  // Only where a call is asked about: elsewhere one answers with plain words.
  useKeys(
    { "Alt+i": () => open("respond") },
    shown && !mode && !!actWords(gate, words).respond && can("respond"),
  );
  useKeys(
    { "Alt+e": () => (question ? focusForm() : open("edit")) },
    shown && (can("edit") || (question && may)),
    true,
  );
  useEffect(() => {
    if (!busy) return;
    forgetBegun(session, gate.id);
    forgetUnsent({ session, gate: gate.id });
  }, [busy, session, gate.id]);
  // Only what was taken is done with: a refused act leaves the field as it is, with the reason beside it.
  const acting = useRef(false);
  useLayoutEffect(() => {
    if (acting.current && !pending) setMode(null);
    acting.current = busy;
  }, [busy, pending]);
  useHandOver(box, busy);
  useTakeOver(box, shown && replaces);
  useInView(box, shown);
  // Where a field is gone, the focus stays with what it was about.
  const close = () => {
    setMode(null);
    box.current?.focus({ preventScroll: true });
  };
  const refusal = pending?.refused && <RefusedCommand session={session} pending={pending} />;

  return (
    <section
      ref={box}
      className={`dock ${gate.kind}${mode ? ` in-${mode}` : ""}${folded ? " folded" : ""}`}
      aria-label={words.gate.label}
      data-testid="gate"
      data-kind={gate.kind}
      tabIndex={-1}
      hidden={!shown}
    >
      <header className="dock-head">
        <Icon name={iconOf(gate)} size={18} />
        <h2>
          {inOrder(gate.prompt) ||
            (gate.agent ? words.gate.title(agentName({ team }, gate.agent)) : words.gate.titlePlain)}
        </h2>
        <p className="dock-terms">
          {voting && <span className="dock-rule">{ruleWords(gate.rule, words)}</span>}
          {gate.deadline && <Deadline at={gate.deadline} />}
        </p>
        <button
          type="button"
          className="quiet dock-fold"
          aria-expanded={!folded}
          aria-label={folded ? words.gate.unfold : words.gate.fold}
          title={folded ? words.gate.unfold : words.gate.fold}
          onClick={() => setFolded(!folded)}
        >
          <Icon name="chevron" size={14} />
        </button>
      </header>
      <Revised session={session} gate={gate} />
      <Editing session={session} gate={gate.id} />
      {gate.origin ? (
        <Origin origin={gate.origin} />
      ) : (
        gate.context && <p className="dock-context">{inOrder(gate.context)}</p>
      )}
      {mode !== "edit" && gate.kind === "plan" && <PlanSubject session={session} />}
      {mode !== "edit" && !question && gate.call && <CallSubject session={session} call={gate.call} />}
      {!question && !mode && may && <Hints gate={gate} session={session} interrupted={interrupted} />}
      {voting && mode !== "edit" && <Tally session={session} gate={gate} />}
      {gate.kind === "feedback" && speaks && gate.allow.includes("respond") && (
        <Address session={session} gate={gate} />
      )}
      {!may ? (
        <Cannot gate={gate} speaks={speaks} />
      ) : gate.origin?.link ? (
        <LinkQuestion session={session} gate={gate} link={gate.origin.link} sent={sent}>
          {refusal}
        </LinkQuestion>
      ) : question ? (
        <QuestionForm session={session} gate={gate} sent={sent}>
          {refusal}
        </QuestionForm>
      ) : mode === "reject" ? (
        <Reject session={session} gate={gate} sent={sent} onClose={close}>
          {refusal}
        </Reject>
      ) : mode === "respond" ? (
        <Respond session={session} gate={gate} sent={sent} onClose={close}>
          {refusal}
        </Respond>
      ) : mode === "edit" ? (
        <Editor session={session} gate={gate} sent={sent} seen={seen} onClose={close}>
          {refusal}
        </Editor>
      ) : approval.due !== null ? (
        <Held {...approval} due={approval.due} />
      ) : (
        <>
          {refusal}
          <Acts
            gate={gate}
            words={actWords(gate, words)}
            feedbackFirst={interrupted && speaks && gate.allow.includes("respond")}
            chosen={busy ? ((pending.command.data?.choice as Choice | undefined) ?? null) : null}
            disabled={busy || !live}
            onApprove={approval.approve}
            onMode={open}
          />
        </>
      )}
    </section>
  );
}

function Cannot({ gate, speaks }: { gate: Gate; speaks: boolean }) {
  const words = useWords();
  const format = useFormat();
  return (
    <p className="dock-cannot">
      <Icon name="eye" size={14} />{" "}
      {gate.kind === "question"
        ? words.work.gates.question.cannot
        : words.gate.cannot(format.list(eligibleRoles(gate, words)), speaks)}
    </p>
  );
}
