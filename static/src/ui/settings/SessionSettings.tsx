/** Settings of a session, as everyone sees them. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { isActive } from "../../state/runSelectors";
import { hasRight, canRedact, ownMember } from "../../state/participants";
import { useMe, useSession } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { onDemand } from "../components/onDemand";
import { quorumText } from "../gates/gateText";
import { CloseDialog } from "./LeaveSession";
import { RedactDialog } from "./RedactButton";

const RuleList = onDemand(() => import("./RuleList").then((part) => part.RuleList));
const RuleSuggestions = onDemand(() =>
  import("../rules/RuleSuggestions").then((part) => part.RuleSuggestions),
);
const SettingsDialog = onDemand(() => import("./SettingsDialog").then((part) => part.SettingsDialog));

/**
 * Decision rule of the session, for everyone; for the people who manage it, also the buttons that change it.
 */
export function SessionSettings({ session }: { session: SessionId }) {
  const texts = useTexts();
  const format = useFormat();
  const me = useMe();
  const settings = useSession(session, (state) => state.settings);
  const canManage = useSession(session, (state) => hasRight(state, "manage"));
  const admin = useSession(session, (state) => canManage && ownMember(state, me)?.role !== "owner");
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
    <section className="rules" aria-label={texts.manage.rules.title}>
      <h3>{texts.manage.rules.title}</h3>
      <p>{quorumText(approval, texts)}</p>
      {rules.length > 0 && <RuleList rules={rules} />}
      {!!seconds && <p className="soft">{texts.manage.rules.open(format.duration(seconds * 1000))}</p>}
      {!!days && <p className="soft">{texts.redaction.keeps(days)}</p>}
      {admin && <p className="soft">{texts.manage.rules.asAdmin}</p>}
      {decides && settings.learning?.mode !== "off" && (
        <div className="buttons">
          <button type="button" className="quiet small" onClick={() => setOpen("suggestions")}>
            {texts.standingPermissions.suggestions}
          </button>
        </div>
      )}
      {canManage && (
        <div className="buttons">
          <button type="button" className="small" onClick={() => setOpen("settings")}>
            {texts.manage.rules.settings}
          </button>
          <button type="button" className="quiet small" disabled={busy} onClick={() => setOpen("close")}>
            {texts.manage.rules.close}
          </button>
        </div>
      )}
      {canManage && busy && <p className="soft">{texts.manage.rules.busy}</p>}
      {redacts && (
        <div className="buttons">
          <button
            type="button"
            className="quiet small danger"
            disabled={busy}
            onClick={() => setOpen("redact")}
          >
            {texts.redaction.session}
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
