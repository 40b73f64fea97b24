/** Rule that the votes suggest: the calls that it allows, the evidence, and its forecast on past calls. */
import type { PastCall, RuleSuggestion, SessionId } from "../../protocol";
import { scrollToRow } from "../../app/viewState";
import { useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { useSourceTexts } from "../../i18n/sources.en";
import { abbreviate } from "../../json/jsonText";
import { escapeHidden } from "../../text/hiddenCharacters";
import { agentName, personName } from "../names";
import { useRuleTexts } from "../../i18n/rules.en";
import { RuleForecast } from "./RuleForecast";
import "./rules.css";

export function RuleSubject({ session, rule }: { session: SessionId; rule: RuleSuggestion }) {
  const texts = useRuleTexts();
  const { standingPermissions, common } = useTexts();
  const sources = useSourceTexts();
  const format = useFormat();
  const known = useSession(session, ({ team, participants, formerParticipants }) => ({
    team,
    participants,
    formerParticipants,
  }));
  const { pattern, allowed, changed, refused, calls } = rule;
  const argumentText = standingPermissions.arguments[pattern.arguments_digest ? "same" : "any"];
  const kinds = (pattern.sources ?? []).map((kind) => sources.kinds[kind]);
  const names = rule.allowed_by.map((id) => personName(known, id));
  const objections = texts.against(calls.length, refused, changed);
  return (
    <div className="rule-subject" data-testid="rule-subject">
      <p>
        <code>{escapeHidden(pattern.tool)}</code>{" "}
        {texts.calls(agentName(known, pattern.agent), argumentText, texts.risk[pattern.risk])}
      </p>
      <p className="soft">{kinds.length > 0 ? texts.sources(format.list(kinds)) : texts.noSources}</p>
      <p>{texts.allowed(format.list(names), allowed, allowed + changed + refused)}</p>
      <p className={refused + changed > 0 ? "rule-forecast warn" : "rule-forecast"}>
        {[texts.forecast(calls.length), ...objections].join(common.comma)}
      </p>
      <details>
        <summary>{texts.past(calls.length)}</summary>
        <ol aria-label={texts.list}>
          {calls.map((past) => (
            <PastCallItem key={past.call} session={session} past={past} />
          ))}
        </ol>
      </details>
      <RuleForecast session={session} rule={rule.id} />
      {rule.declined && <p className="soft">{texts.declined}</p>}
      {rule.proposed_by && <p className="soft">{texts.proposedBy(personName(known, rule.proposed_by))}</p>}
      <p className="soft">{texts.keeps}</p>
    </div>
  );
}

/** A past call and its decision, with a link if this page has the call. */
function PastCallItem({ session, past }: { session: SessionId; past: PastCall }) {
  const texts = useRuleTexts();
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
      <small>{texts.outcomes[past.outcome]}</small>
    </li>
  );
}
