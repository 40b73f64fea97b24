/** Details of a gate: its subject, its deadline and its votes. */
import type { CallId, SessionId, Gate } from "../../protocol";
import { useSession, useNow, useMe } from "../../app/hooks";
import { useTexts, useFormat } from "../../i18n/locale";
import { CallArguments } from "../calls/CallArguments";
import { CallSources } from "../calls/CallPermission";
import { RiskBadge } from "../calls/RiskBadge";
import { escapeHidden } from "../../text/hiddenCharacters";
import { PlanView } from "../plan/PlanView";
import { Icon } from "../components/Icon";
import { canDecide, hasVoted } from "../../state/gateSelectors";
import { votersAt } from "../../state/voters";
import { ApproversLine } from "./ApproversLine";
import { tallyOf, votes } from "./gateText";
import { SeparateDuties } from "./SeparateDuties";
import { CastVotes, WithdrawnNotice } from "../votes/CastVotes";
import { GateTimes } from "../votes/GateTimes";

/** Exact call at the gate. */
export function CallSubject({ session, call: id }: { session: SessionId; call: CallId }) {
  const texts = useTexts();
  const call = useSession(session, (state) => state.calls[id]);
  if (!call) return null;
  return (
    <div className="dock-call">
      <p className="call-name">
        <code>{escapeHidden(call.name)}</code>
        {call.risk && <RiskBadge risk={call.risk} />}
        {call.rev > 1 && <span className="tag">{texts.work.plan.revision(call.rev)}</span>}
      </p>
      <CallSources session={session} call={call} />
      <CallArguments tool={call.name} json={call.arguments} showAll />
    </div>
  );
}

/** Plan at the gate. */
export function PlanSubject({ session }: { session: SessionId }) {
  const plan = useSession(session, (state) => state.run?.plan);
  const texts = useTexts().work.plan;
  if (!plan) return null;
  return (
    // Scrollable content must be reachable with the keyboard.

    <div className="dock-subject" role="group" aria-label={texts.tab} tabIndex={0}>
      <PlanView session={session} plan={plan} />
    </div>
  );
}

/** Milliseconds before the deadline from which the remaining time is shown. */
const COUNTDOWN_MS = 5 * 60_000;

/** Deadline of a gate: the date while it is far off, and the remaining time when it is near. */
export function Deadline({ at }: { at: string }) {
  const texts = useTexts().gate;
  const format = useFormat();
  const left = Date.parse(at) - useNow(1000);
  const date = texts.deadline(format.full(at));
  return (
    // Not a live region, because announcing a number each second would drown out everything else.
    <span className="deadline" role="timer" aria-live="off" title={date}>
      <Icon name="hourglass" size={13} />
      {left > COUNTDOWN_MS ? date : left > 0 ? texts.left(format.remaining(left)) : texts.timeUp}
    </span>
  );
}

/** Votes by name, the tally, and the people who can still vote. */
export function VoteTally({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useTexts();
  const me = useMe();
  const participants = useSession(session, (state) => state.participants);
  const run = useSession(session, (state) => state.run);
  const canVote = useSession(session, (state) => canDecide(state, gate, me));
  const settings = useSession(session, (state) => state.settings);
  const source = { participants, run, settings };
  const tally = tallyOf(gate, source);
  const cast = votes(gate);
  const counts = gate.quorum.kind === "weighted" ? texts.votes.weights : texts.gate.tally;
  return (
    <>
      <p className={cast.length > 0 ? "tally" : "tally none"}>
        <span className={cast.length === 0 ? "nobody" : undefined}>
          {cast.length === 0 ? texts.gate.nobodyYet : counts(tally.approved, tally.needed)}
          {hasVoted(gate, me)
            ? ` · ${texts.gate.you}`
            : canVote && cast.length > 0 && ` · ${texts.gate.notYou}`}
        </span>
        <CastVotes session={session} gate={gate} voters={votersAt(gate, source)} />
        <WithdrawnNotice session={session} gate={gate} />
      </p>
      <SeparateDuties session={session} gate={gate} />
      <ApproversLine session={session} gate={gate} />
      <GateTimes session={session} gate={gate} />
    </>
  );
}
