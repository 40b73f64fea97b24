/** What follows from deciding, in a sentence or two. */
import type { Gate, SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";

interface Props {
  session: SessionId;
  gate: Gate;
  interrupted: boolean;
}

export function GateHints({ session, gate, interrupted }: Props) {
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
