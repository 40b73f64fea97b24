/** A gate in its place in the log: open, a card; ended, one line that says who, what and when. */
import type { Gate, SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Tally } from "../gate/Tally";
import { ruleWords, votes } from "../gate/words";
import { Icon, type IconName } from "../parts/Icon";

const icons: Record<string, IconName> = { approved: "check", rejected: "cross", responded: "reply" };
const tones: Record<string, string> = { approved: "good", rejected: "bad", responded: "" };

export function GateRow({ session, gate, current }: { session: SessionId; gate: Gate; current: boolean }) {
  const words = useWords();
  const lapsed = useSession(session, (state) => state.lapsed[gate.id]);
  const focus = (element: HTMLElement | null) => {
    if (current) element?.focus({ preventScroll: true });
  };
  if (gate.decision) return <Decided gate={gate} refer={focus} />;
  if (lapsed) {
    return (
      <div className="note" ref={focus} tabIndex={-1}>
        <Icon name="hourglass" size={14} />
        <span>{lapsed === "expired" ? words.gate.expired : words.gate.closed}</span>
      </div>
    );
  }
  return (
    <section
      className={current ? "gate-open current" : "gate-open"}
      ref={focus}
      tabIndex={-1}
      data-gate={gate.id}
    >
      <Icon name="gate" />
      <div>
        <p className="gate-prompt">{gate.prompt || words.gate.titlePlain}</p>
        <p className="gate-rule">{ruleWords(gate, words)}</p>
        {votes(gate).length > 0 && <Tally session={session} gate={gate} />}
      </div>
      <span className="tag warn">{words.gate.waits}</span>
    </section>
  );
}

function Decided({ gate, refer }: { gate: Gate; refer: (element: HTMLElement | null) => void }) {
  const words = useWords();
  const format = useFormat();
  const decision = gate.decision!;
  const comments = (gate.votes ?? []).filter((vote) => vote.comment);
  const who = voters(gate);
  return (
    <div className="gate-decided" ref={refer} tabIndex={-1} data-gate={gate.id}>
      <p className={`note ${tones[decision.outcome]}`}>
        <Icon name={icons[decision.outcome] ?? "gate"} size={14} />
        <strong>{words.gate.outcomes[decision.outcome]}</strong>
        <span>{words.gate.by(format.list(who))}</span>
        <time className="when" dateTime={decision.at} title={format.full(decision.at)}>
          {format.brief(decision.at)}
        </time>
      </p>
      {comments.map((vote) => (
        <blockquote key={vote.by.id}>
          {vote.comment} <cite>{vote.by.name}</cite>
        </blockquote>
      ))}
    </div>
  );
}

/** Those whose votes made the decision; words alone are decided by their author. */
function voters(gate: Gate): string[] {
  const wanted = { approved: "approve", rejected: "reject", responded: "" }[gate.decision!.outcome];
  const names = (gate.votes ?? []).filter((vote) => vote.choice === wanted).map((vote) => vote.by.name);
  return names.length > 0 ? names : [gate.decision!.by.name];
}
