/** A gate in its place in the log. While it is open the dock shows it; ended, one line says who, what and when. */
import type { Gate, SessionId } from "../../protocol";
import type { Words } from "../../i18n/en";
import type { Revision } from "../../state/model";
import { useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon, type IconName } from "../parts/Icon";

const icons: Record<string, IconName> = { approved: "check", rejected: "cross", responded: "reply" };
const tones: Record<string, string> = { approved: "good", rejected: "bad", responded: "" };

export function GateRow({ session, gate, current }: { session: SessionId; gate: Gate; current: boolean }) {
  const words = useWords();
  const lapsed = useSession(session, (state) => state.lapsed[gate.id]);
  const revision = useSession(session, (state) => state.revised[gate.id]);
  return (
    <div
      className={current ? "gate-row current" : "gate-row"}
      ref={(element) => {
        if (current) element?.focus({ preventScroll: true });
      }}
      tabIndex={-1}
      data-gate={gate.id}
    >
      {gate.decision ? (
        <Decided gate={gate} revision={revision} />
      ) : (
        <p className={lapsed ? "note" : "note waits"}>
          <Icon name={lapsed ? "hourglass" : "gate"} size={14} />
          <span>
            {lapsed === "expired" ? words.gate.expired : lapsed ? words.gate.closed : words.gate.waitsBelow}
          </span>
        </p>
      )}
    </div>
  );
}

function Decided({ gate, revision }: { gate: Gate; revision: Revision | undefined }) {
  const words = useWords();
  const format = useFormat();
  const decision = gate.decision!;
  const comments = (gate.votes ?? []).filter((vote) => vote.comment);
  const who = voters(gate);
  return (
    <div className="gate-decided">
      <p className={`note ${tones[decision.outcome]}`}>
        <Icon name={icons[decision.outcome] ?? "gate"} size={14} />
        <strong>
          {gate.kind === "feedback"
            ? words.gate.outcomes[decision.outcome]
            : words.work.outcomes[gate.kind][decision.outcome]}
        </strong>
        <span>{words.gate.by(format.list(who))}</span>
        {gate.rev > 1 && gate.subject && <span className="note-more">{changed(gate, revision, words)}</span>}
        <time className="when" dateTime={decision.at} title={format.full(decision.at)}>
          {format.brief(decision.at)}
        </time>
      </p>
      {comments.map((vote) => (
        <blockquote key={vote.by.id}>
          {vote.comment} {who.length > 1 && <cite>{vote.by.name}</cite>}
        </blockquote>
      ))}
    </div>
  );
}

/** That people changed what they decided on, and who where that was seen. */
function changed(gate: Gate, revision: Revision | undefined, { work }: Words): string {
  return revision ? work.plan.revisedBy(revision.by.name) : work.plan.revision(gate.rev);
}

/** Those whose votes made the decision; words alone are decided by their author. */
function voters(gate: Gate): string[] {
  const wanted = { approved: "approve", rejected: "reject", responded: "" }[gate.decision!.outcome];
  const names = (gate.votes ?? []).filter((vote) => vote.choice === wanted).map((vote) => vote.by.name);
  return names.length > 0 ? names : [gate.decision!.by.name];
}
