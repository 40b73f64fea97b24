/** The live region: gates, decisions, votes that came too late and finished messages, for those who do not see the screen. */
import { useEffect, useRef, useState } from "react";
import type { SessionId } from "../../protocol";
import { lostVotes, openGate } from "../../state/ask";
import { useMe, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { lostWords } from "../gate/words";

/** What the listener knows already. */
interface Known {
  gate?: string;
  message?: string;
  decided?: string;
  lost?: string;
}

export function Announcer({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const me = useMe();
  const [text, setText] = useState("");
  const caughtUp = useSession(session, (state) => state.caughtUp);
  const gate = useSession(session, openGate);
  const last = useSession(session, (state) => state.messages.at(-1));
  const decided = useSession(session, (state) => state.gates.findLast((one) => one.decision));
  const lost = useSession(session, (state) => lostVotes(state).at(-1));
  const known = useRef<Known | null>(null);
  useEffect(() => {
    if (!caughtUp) return;
    const before = known.current;
    known.current = {
      gate: gate?.id,
      message: last?.id,
      decided: decided?.id,
      lost: lost?.command.id,
    };
    // What was there before I looked is read, not announced.
    if (!before) return;
    const said: string[] = [];
    if (last && last.id !== before.message && last.by.id !== me) {
      const { kind, name } = last.by;
      said.push(kind === "agent" ? words.timeline.finished(name) : words.timeline.says(name));
    }
    if (decided?.decision && decided.id !== before.decided) {
      said.push(words.gate.decided(words.gate.outcomes[decided.decision.outcome], decided.decision.by.name));
    }
    if (lost && lost.command.id !== before.lost) said.push(lostWords(lost.refused!, words, format));
    if (gate && gate.id !== before.gate) said.push(words.gate.opened(gate.prompt));
    if (said.length > 0) setText(said.join(" "));
  }, [caughtUp, gate, last, decided, lost, me, words, format]);
  return (
    <p className="hidden" role="status" aria-live="polite" data-testid="announcer">
      {text}
    </p>
  );
}
