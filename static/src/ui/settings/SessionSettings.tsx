/** Settings of a session, as everyone sees them. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { isActive } from "../../state/runSelectors";
import { hasRight, canRedact, ownMember } from "../../state/participants";
import { useMe, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { onDemand } from "../components/onDemand";
import { quorumText } from "../gates/gateText";
import { CloseDialog } from "./LeaveSession";
import { RedactDialog } from "./RedactButton";

const RuleList = onDemand(() => import("./RuleList").then((part) => part.RuleList));
const RuleSuggestions = onDemand(() =>
  import("../rules/RuleSuggestions").then((part) => part.RuleSuggestions),
);
const SettingsDialog = onDemand(() => import("./SettingsDialog").then((part) => part.SettingsDialog));

/** Decision rule of the session, for everyone; for the people who manage it, also the buttons that change it. */
export function SessionSettings({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const me = useMe();
  const settings = useSession(session, (state) => state.settings);
  const manages = useSession(session, (state) => hasRight(state, "manage"));
  const admin = useSession(session, (state) => manages && ownMember(state, me)?.role !== "owner");
  const redacts = useSession(session, (state) => canRedact(state) && !state.redacted);
  const decides = useSession(session, (state) => hasRight(state, "approve") && !state.closed);
  const busy = useSession(session, isActive);
  const [open, setOpen] = useState<"settings" | "close" | "redact" | "suggestions" | null>(null);
  if (!settings) return null;
  const {
    approval = { kind: "any" },
    approval_rules: rules = [],
    gate_seconds: seconds,
    retention_days: days,
  } = settings;
  const close = () => setOpen(null);
  return (
    <section className="rules" aria-label={words.manage.rules.title}>
      <h3>{words.manage.rules.title}</h3>
      <p>{quorumText(approval, words)}</p>
      {rules.length > 0 && <RuleList rules={rules} />}
      {!!seconds && <p className="soft">{words.manage.rules.open(format.took(seconds * 1000))}</p>}
      {!!days && <p className="soft">{words.redaction.keeps(days)}</p>}
      {admin && <p className="soft">{words.manage.rules.asAdmin}</p>}
      {decides && settings.learning?.mode !== "off" && (
        <div className="buttons">
          <button type="button" className="quiet small" onClick={() => setOpen("suggestions")}>
            {words.standing.suggestions}
          </button>
        </div>
      )}
      {manages && (
        <div className="buttons">
          <button type="button" className="small" onClick={() => setOpen("settings")}>
            {words.manage.rules.settings}
          </button>
          <button type="button" className="quiet small" disabled={busy} onClick={() => setOpen("close")}>
            {words.manage.rules.close}
          </button>
        </div>
      )}
      {manages && busy && <p className="soft">{words.manage.rules.busy}</p>}
      {redacts && (
        <div className="buttons">
          <button
            type="button"
            className="quiet small danger"
            disabled={busy}
            onClick={() => setOpen("redact")}
          >
            {words.redaction.session}
          </button>
        </div>
      )}
      {open === "suggestions" && <RuleSuggestions session={session} onClose={close} />}
      {open === "redact" && <RedactDialog session={session} target={{ kind: "session" }} onClose={close} />}
      {open === "settings" && <SettingsDialog session={session} settings={settings} onClose={close} />}
      {open === "close" && <CloseDialog session={session} onClose={close} />}
    </section>
  );
}
