/** Dialog with the rules that the votes suggest. People who may decide can propose these rules. */
import { useEffect, useState } from "react";
import type { RuleSuggestion, SessionId } from "../../protocol";
import { useRequest } from "../../app/requests";
import { useClient, useLive, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { hasRight } from "../../state/participants";
import { manage } from "../../wire/manage";
import { Dialog } from "../components/Dialog";
import { ErrorNotice, CommandError } from "../components/ErrorNotice";
import { agentName } from "../names";
import { RuleSubject } from "./RuleSubject";
import { useRuleTexts } from "../../i18n/rules.en";

export function RuleSuggestions({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const texts = useRuleTexts();
  const { common } = useTexts();
  const [{ data, error }, ask] = useRequest<RuleSuggestion[]>();
  const [shown, setShown] = useState<RuleSuggestion[] | null>(null);
  // Votes and revocations change the suggestions, so they are fetched again.
  const turn = useSession(session, (state) => state.permissions.length + state.gates.length);
  const failed = useSession(session, (state) =>
    state.pending.filter(({ command, error }) => error && command.do === "propose_rule"),
  );
  useEffect(
    () => void ask(() => manage.ruleSuggestions(session).then((got) => got.suggestions)),
    [ask, session, turn],
  );
  useEffect(() => {
    if (data) setShown(data);
  }, [data]);
  return (
    <Dialog title={texts.title} onClose={onClose} wide>
      <p className="soft">{texts.text}</p>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      {!shown && !error && <p className="soft">{common.loading}</p>}
      {shown?.length === 0 && <p className="soft">{texts.none}</p>}
      <ul className="rule-suggestions">
        {shown?.map((rule) => (
          <SuggestionItem key={rule.id} session={session} rule={rule} />
        ))}
      </ul>
      {failed.map((one) => (
        <CommandError key={one.command.id} session={session} pending={one} />
      ))}
    </Dialog>
  );
}

function SuggestionItem({ session, rule }: { session: SessionId; rule: RuleSuggestion }) {
  const texts = useRuleTexts();
  const client = useClient();
  const live = useLive();
  const canPropose = useSession(session, (state) => hasRight(state, "approve"));
  const agent = useSession(session, (state) => agentName(state, rule.pattern.agent));
  const open = useSession(session, (state) =>
    state.gates.some((gate) => gate.rule?.id === rule.id && !gate.decision && !state.lapsed[gate.id]),
  );
  const busy = useSession(session, (state) =>
    state.pending.some(
      ({ command, error }) => !error && command.do === "propose_rule" && command.data?.suggestion === rule.id,
    ),
  );
  return (
    <li data-suggestion={rule.id}>
      <RuleSubject session={session} rule={rule} />
      {canPropose && !open && (
        <button
          type="button"
          className="small"
          aria-label={busy ? undefined : texts.proposeName(rule.pattern.tool, agent)}
          aria-disabled={busy || !live || undefined}
          onClick={() => !busy && live && client.proposeRule(session, rule.id)}
        >
          {busy ? texts.proposing : texts.propose}
        </button>
      )}
    </li>
  );
}
