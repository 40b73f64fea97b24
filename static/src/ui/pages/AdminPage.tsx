/** `/admin`: the audit log, the participants and the quotas of the server, for administrators. */
import { useState } from "react";
import { useApp } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { AuditLog } from "../admin/AuditLog";
import { ParticipantTable } from "../admin/ParticipantTable";
import { QuotaTable } from "../admin/QuotaTable";
import { useAdminTexts } from "../../i18n/admin.en";
import { KnowledgeBar } from "../knowledge/BaseList";
import { ErrorNotice } from "../components/ErrorNotice";

const SECTIONS = ["audit", "participants", "quotas"] as const;

export function AdminPage({ onHelp }: { onHelp: () => void }) {
  const texts = useAdminTexts();
  const { title } = useTexts().admin;
  const serverRole = useApp((app) => app.serverRole);
  const [section, setSection] = useState<(typeof SECTIONS)[number]>("audit");
  return (
    <main className="middle" id="conversation" tabIndex={-1}>
      <KnowledgeBar onHelp={onHelp} />
      {/* Scrollable content must be reachable with the keyboard. */}
      <div className="knowledge admin" tabIndex={0} role="region" aria-label={title}>
        <h1>{title}</h1>
        {serverRole === "admin" ? (
          <>
            <nav className="admin-sections" aria-label={texts.sections}>
              {SECTIONS.map((one) => (
                <button
                  key={one}
                  type="button"
                  aria-current={section === one ? "page" : undefined}
                  onClick={() => setSection(one)}
                >
                  {texts[one]}
                </button>
              ))}
            </nav>
            {section === "audit" && <AuditLog />}
            {section === "participants" && <ParticipantTable />}
            {section === "quotas" && <QuotaTable />}
          </>
        ) : (
          serverRole !== null && <ErrorNotice>{texts.only}</ErrorNotice>
        )}
      </div>
    </main>
  );
}
