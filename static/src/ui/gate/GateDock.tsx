/** The open gate, docked above the composer: what is asked, and what I may do about it. */
import { useEffect, useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import { mayDecide, myself, openGate } from "../../state/ask";
import type { Pending } from "../../state/model";
import { useClient, useMe, useSession } from "../../app/hooks";
import { useKeys } from "../../app/keys";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { focusComposer } from "../composer/focus";
import { agentName } from "../names";
import { Address } from "./Address";
import { Reject } from "./Reject";
import { Tally } from "./Tally";
import { eligibleRoles, ruleWords } from "./words";

export function GateDock({ session }: { session: SessionId }) {
  const gate = useSession(session, openGate);
  const active = useSession(session, (state) => !state.closed);
  return gate && active ? <Dock key={gate.id} session={session} gate={gate} /> : null;
}

function Dock({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const client = useClient();
  const me = useMe();
  const [rejecting, setRejecting] = useState(false);
  const may = useSession(session, (state) => mayDecide(state, gate, me));
  const speaks = useSession(session, (state) => !!myself(state, me) && state.rights.includes("say"));
  const pending = useSession(session, (state) => voteOf(state.pending, gate));
  const team = useSession(session, (state) => state.team);
  const busy = !!pending && !pending.refused;
  const canApprove = may && gate.allow.includes("approve");
  const canReject = may && gate.allow.includes("reject");
  const approve = () => canApprove && !busy && client.vote(session, gate, "approve");
  useKeys({ a: approve, r: () => (canReject ? setRejecting(true) : focusComposer()) });
  // A refused vote says why and gives the buttons back; it must not stand in the way of the next one.
  useEffect(() => {
    if (pending && !pending.refused) setRejecting(false);
  }, [pending]);
  const choice = pending?.command.data?.choice;

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
      <Hints gate={gate} session={session} />
      <Tally session={session} gate={gate} />
      {speaks && gate.allow.includes("respond") && <Address session={session} gate={gate} />}
      {rejecting ? (
        <Reject session={session} gate={gate} onClose={() => setRejecting(false)} />
      ) : may ? (
        <div className="dock-actions">
          {canApprove && (
            <button type="button" className="primary" aria-keyshortcuts="a" disabled={busy} onClick={approve}>
              <Icon name="check" />
              {busy && choice === "approve" ? words.gate.approving : words.gate.approve}
              <kbd>a</kbd>
            </button>
          )}
          {canReject && (
            <button
              type="button"
              className="danger"
              aria-keyshortcuts="r"
              disabled={busy}
              onClick={() => setRejecting(true)}
            >
              <Icon name="cross" />
              {busy && choice === "reject" ? words.gate.rejecting : words.gate.reject}
              <kbd>r</kbd>
            </button>
          )}
        </div>
      ) : (
        <Cannot gate={gate} />
      )}
      {pending?.refused && (
        <p className="refusal" role="alert">
          <Icon name="warning" size={14} /> {words.control.refused} {pending.refused.message}
          <button
            type="button"
            className="quiet small"
            onClick={() => client.drop(session, pending.command.id)}
          >
            {words.common.dismiss}
          </button>
        </p>
      )}
    </section>
  );
}

function Hints({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useWords();
  const team = useSession(session, (state) => state.team);
  const last = team?.agents.find((agent) => agent.role === "optimizer");
  return (
    <ul className="dock-hints">
      {gate.allow.includes("approve") && (
        <li>{last ? words.gate.hintApprove(last.name) : words.gate.hintApprovePlain}</li>
      )}
      {gate.allow.includes("respond") && (
        <li>
          {words.gate.hintAll} {gate.agents.length > 0 && words.gate.hintAgent}
        </li>
      )}
    </ul>
  );
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
