/** Rule that the votes suggest: the calls that it allows, the evidence, and its forecast on past calls. */
import type { PastCall, RuleSuggestion, SessionId } from "../../protocol";
import { scrollToRow } from "../../app/viewState";
import { useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { useSourceWords } from "../../i18n/sources";
import { abbreviate } from "../../json/jsonText";
import { escapeHidden } from "../../text/hiddenCharacters";
import { agentName, personName } from "../names";
import { useRuleWords } from "./words";
import "./rules.css";

export function RuleSubject({ session, rule }: { session: SessionId; rule: RuleSuggestion }) {
  const words = useRuleWords();
  const { standing } = useWords();
  const sources = useSourceWords();
  const format = useFormat();
  const known = useSession(session, ({ team, participants, formerParticipants }) => ({
    team,
    participants,
    formerParticipants,
  }));
  const { pattern, allowed, changed, refused, calls } = rule;
  const which = standing.arguments[pattern.arguments_digest ? "same" : "any"];
  const kinds = (pattern.sources ?? []).map((kind) => sources.kinds[kind]);
  const names = rule.allowed_by.map((id) => personName(known, id));
  const against = words.against(refused, changed);
  return (
    <div className="rule-subject" data-testid="rule-subject">
      <p>
        <code>{escapeHidden(pattern.tool)}</code>{" "}
        {words.calls(agentName(known, pattern.agent), which, words.risk[pattern.risk])}
      </p>
      <p className="soft">{kinds.length > 0 ? words.sources(format.list(kinds)) : words.noSources}</p>
      <p>{words.allowed(format.list(names), allowed, allowed + changed + refused)}</p>
      <p className={against.length > 0 ? "rule-forecast warn" : "rule-forecast"}>
        {[words.forecast(calls.length), ...(against.length > 0 ? against : [words.noneAgainst])].join(", ")}
      </p>
      <details>
        <summary>{words.past(calls.length)}</summary>
        <ol aria-label={words.list}>
          {calls.map((past) => (
            <PastCallItem key={past.call} session={session} past={past} />
          ))}
        </ol>
      </details>
      {rule.declined && <p className="soft">{words.declined}</p>}
      {rule.proposed_by && <p className="soft">{words.proposedBy(personName(known, rule.proposed_by))}</p>}
      <p className="soft">{words.keeps}</p>
    </div>
  );
}

/** A past call with the decision about it, linked if this page has the call. */
function PastCallItem({ session, past }: { session: SessionId; past: PastCall }) {
  const words = useRuleWords();
  const call = useSession(session, (state) => state.calls[past.call]);
  const text = call ? abbreviate(call.arguments) : past.call;
  return (
    <li data-outcome={past.outcome}>
      {call ? (
        <button
          type="button"
          className="text"
          onClick={() => scrollToRow({ session, row: call.message ?? call.id })}
        >
          {text}
        </button>
      ) : (
        <span>{text}</span>
      )}{" "}
      <small>{words.outcomes[past.outcome]}</small>
    </li>
  );
}
