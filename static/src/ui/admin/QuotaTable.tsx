/** Monthly quotas of all participants, sessions or teams, with their usage. */
import { useCallback, useState } from "react";
import type { MonthlyQuotaResponse, QuotaSubject } from "../../api";
import { usePages } from "../../app/requests";
import { useAdminTexts } from "../../i18n/admin.en";
import { useBudgetTexts } from "../../i18n/budget.en";
import { admin } from "../../wire/admin";
import { QuotaMeters } from "../budget/MonthlyQuotas";
import { PagedTable } from "./PagedTable";

const SUBJECTS: QuotaSubject[] = ["participant", "session", "team"];

export function QuotaTable() {
  const texts = useAdminTexts();
  const [subject, setSubject] = useState<QuotaSubject>("participant");
  return (
    <section aria-label={texts.quotas}>
      <p className="soft">{texts.quotasMean}</p>
      <div className="admin-filter">
        <label>
          <span>{texts.quotasOf}</span>
          <select value={subject} onChange={(event) => setSubject(event.target.value as QuotaSubject)}>
            {SUBJECTS.map((one) => (
              <option key={one} value={one}>
                {texts.quotaSubjects[one]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {/* The key ensures that rows of another kind do not stay until the first page is loaded. */}
      <QuotaPages key={subject} subject={subject} />
    </section>
  );
}

function QuotaPages({ subject }: { subject: QuotaSubject }) {
  const texts = useAdminTexts();
  const budget = useBudgetTexts();
  const read = useCallback(
    (before?: string) =>
      admin.quotas(subject, before).then(({ quotas, next }) => ({ items: quotas, next: next ?? null })),
    [subject],
  );
  return (
    <PagedTable
      pages={usePages(read)}
      none={texts.unused}
      headings={[texts.quotaSubjects[subject], budget.quotas.title]}
    >
      {(one) => <Row key={one.id} quota={one} />}
    </PagedTable>
  );
}

function Row({ quota }: { quota: MonthlyQuotaResponse }) {
  return (
    <tr data-quota={quota.name ?? quota.id}>
      <td>
        {quota.name} <small title={quota.id}>…{quota.id.slice(-6)}</small>
      </td>
      <td className="admin-quota">
        <QuotaMeters quota={quota} label="" />
      </td>
    </tr>
  );
}
