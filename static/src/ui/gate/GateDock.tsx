/** The open gate, docked above the composer: what is asked, and what I may do about it. */
import { useEffect, useState } from "react";
import type { Choice, Gate, SessionId } from "../../protocol";
import { mayDecide, myself, openGate } from "../../state/ask";
import type { Pending } from "../../state/model";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { useKeys } from "../../app/keys";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { Refusal } from "../parts/Refusal";
import { focusComposer } from "../composer/focus";
import { agentName } from "../names";
import { Acts } from "./Acts";
import { Address } from "./Address";
import { LostVotes } from "./LostVotes";
import { Reject } from "./Reject";
import { Tally } from "./Tally";
import { eligibleRoles, ruleWords } from "./words";

export function GateDock({ session }: { session: SessionId }) {
  const gate = useSession(session, openGate);
  const active = useSession(session, (state) => !state.closed);
  return (
    <>
      <LostVotes session={session} />
      {gate && active && <Dock key={gate.id} session={session} gate={gate} />}
    </>
  );
}

function Dock({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const client = useClient();
  const me = useMe();
  const live = useLive();
  const [rejecting, setRejecting] = useState(false);
  const may = useSession(session, (state) => mayDecide(state, gate, me));
  const speaks = useSession(session, (state) => !!myself(state, me) && state.rights.includes("say"));
  const interrupted = useSession(session, (state) => !!state.run?.interrupted);
  const pending = useSession(session, (state) => voteOf(state.pending, gate));
  const team = useSession(session, (state) => state.team);
  const responds = speaks && gate.allow.includes("respond");
  const busy = !!pending && !pending.refused;
  const canApprove = may && live && !busy && gate.allow.includes("approve");
  const canReject = may && live && gate.allow.includes("reject");
  const approve = () => canApprove && client.vote(session, gate, "approve");
  useKeys({ a: approve, r: () => (canReject ? setRejecting(true) : focusComposer()) });
  // A refused vote says why and gives the buttons back; it must not stand in the way of the next one.
  useEffect(() => {
    if (pending && !pending.refused) setRejecting(false);
  }, [pending]);

  return (
    <section className="dock" aria-label={words.gate.label} data-testid="gate">
      <header className="dock-head">
        <Icon name="gate" size={18} />
        <h3>
          {gate.prompt ||
            (gate.agent ? words.gate.title(agentName({ team }, gate.agent)) : words.gate.titlePlain)}
        </h3>
        <span className="dock-rule">{ruleWords(gate, words)}</span>
      </header>
      <Hints gate={gate} session={session} interrupted={interrupted} />
      <Tally session={session} gate={gate} />
      {responds && <Address session={session} gate={gate} />}
      {rejecting ? (
        <Reject session={session} gate={gate} onClose={() => setRejecting(false)} />
      ) : may ? (
        <Acts
          gate={gate}
          feedbackFirst={interrupted && responds}
          chosen={busy ? ((pending.command.data?.choice as Choice | undefined) ?? null) : null}
          disabled={busy || !live}
          onApprove={approve}
          onReject={() => setRejecting(true)}
        />
      ) : (
        <Cannot gate={gate} />
      )}
      {pending?.refused && (
        <Refusal lead={words.control.refused} onDismiss={() => client.drop(session, pending.command.id)}>
          {pending.refused.message}
        </Refusal>
      )}
    </section>
  );
}

interface HintsProps {
  session: SessionId;
  gate: Gate;
  interrupted: boolean;
}

function Hints({ session, gate, interrupted }: HintsProps) {
  const words = useWords();
  const last = useSession(session, (state) => state.team?.agents.find((agent) => agent.role === "optimizer"));
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

function Cannot({ gate }: { gate: Gate }) {
  const words = useWords();
  const format = useFormat();
  return (
    <p className="dock-cannot">
      <Icon name="eye" size={14} /> {words.gate.cannot(format.list(eligibleRoles(gate, words)))}
    </p>
  );
}

/** My vote that is on its way, or was refused. */
function voteOf(pending: Pending[], gate: Gate): Pending | undefined {
  return pending.findLast((one) => one.command.do === "vote" && one.command.data?.gate === gate.id);
}
