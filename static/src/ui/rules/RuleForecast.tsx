/** Forecast of a rule for the reader's other sessions with the same team, requested when it is opened. */
import type { SessionId } from "../../protocol";
import { useRequest } from "../../app/requests";
import { useTexts } from "../../i18n/locale";
import { useRuleTexts } from "../../i18n/rules.en";
import { manage } from "../../wire/manage";
import type { ForecastCounts, RuleForecastResponse } from "../../api";
import { ErrorNotice } from "../components/ErrorNotice";
import { PageLink } from "../components/PageLink";

interface Props {
  session: SessionId;
  /** Id of the rule. */
  rule: string;
}

export function RuleForecast({ session, rule }: Props) {
  const texts = useRuleTexts();
  const { common } = useTexts();
  const [{ data, error, busy }, ask] = useRequest<RuleForecastResponse>();
  return (
    <details
      data-testid="rule-forecast"
      onToggle={(event) => {
        // Each time it is opened, it shows the newest calls.
        if (event.currentTarget.open && !busy) void ask(() => manage.ruleForecast(session, rule));
      }}
    >
      <summary>{texts.otherSessions.title}</summary>
      <div role="status">
        {busy && <p className="soft">{common.loading}</p>}
        {data && <p>{summary(data, texts, common.comma)}</p>}
      </div>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      {data && data.sessions.length > 0 && (
        <ol aria-label={texts.otherSessions.list}>
          {data.sessions.map(({ session, title, calls }) => (
            <li
              key={session}
              data-outcome={calls.refused > 0 ? "refused" : calls.changed > 0 ? "changed" : "allowed"}
            >
              <PageLink to={`/s/${session}`}>{title}</PageLink>{" "}
              <small>
                {[texts.otherSessions.calls(count(calls)), ...against(calls, texts)].join(common.comma)}
              </small>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

type Texts = ReturnType<typeof useRuleTexts>;

const count = ({ allowed, changed, refused, undecided }: ForecastCounts) =>
  allowed + changed + refused + undecided;

const against = (counts: ForecastCounts, texts: Texts) =>
  texts.against(count(counts), counts.refused, counts.changed);

function summary({ session_count, total }: RuleForecastResponse, texts: Texts, comma: string): string {
  if (session_count === 0) return texts.otherSessions.none;
  const calls = count(total);
  if (calls === 0) return texts.otherSessions.noCalls(session_count);
  return [texts.otherSessions.forecast(session_count, calls), ...against(total, texts)].join(comma);
}
