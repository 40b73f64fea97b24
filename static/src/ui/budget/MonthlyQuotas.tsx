/** Monthly quotas with their usage: my own, and those that limit the runs of a session. */
import { useCallback, useEffect, useState } from "react";
import type { MonthlyQuotaResponse, MonthlyQuotasResponse } from "../../api";
import type { SessionId } from "../../protocol";
import { isActive } from "../../state/runSelectors";
import { useCostFormat, useSession } from "../../app/hooks";
import { useRefreshTrigger, useRequest } from "../../app/requests";
import { useFormat } from "../../i18n/locale";
import { useBudgetTexts } from "../../i18n/budget.en";
import { manage } from "../../wire/manage";
import { ErrorNotice } from "../components/ErrorNotice";
import { Meter } from "./Meter";
import "./budget.css";

/** My own usage of this month, with its quota. */
export function OwnQuota() {
  return <Quotas read={manage.ownQuotas} />;
}

/** Quotas that limit the runs that I start in this session. */
export function SessionQuotas({ session }: { session: SessionId }) {
  const read = useCallback(() => manage.quotas(session), [session]);
  // The usage has increased when a run ends, so the quotas are read again.
  const busy = useSession(session, isActive);
  return <Quotas read={read} busy={busy} />;
}

interface QuotasProps {
  read: () => Promise<MonthlyQuotasResponse>;
  /** True while a run is active; the quotas are read again when this changes. */
  busy?: boolean;
}

function Quotas({ read, busy }: QuotasProps) {
  const texts = useBudgetTexts();
  const format = useFormat();
  const [{ error }, send] = useRequest<MonthlyQuotasResponse>();
  // The previous data stays on screen while the quotas are read again.
  const [data, setData] = useState<MonthlyQuotasResponse | null>(null);
  const refresh = useRefreshTrigger();
  useEffect(() => {
    if (refresh) void send(read).then((next) => next && setData(next));
  }, [refresh, read, send, busy]);
  if (error) return <ErrorNotice>{error}</ErrorNotice>;
  if (!data?.quotas.length) return null;
  return (
    <section data-testid="quotas" aria-label={texts.quotas.title}>
      <h2>{texts.quotas.title}</h2>
      <ul className="budget-list">
        {data.quotas.map((quota) => (
          <li key={quota.subject}>
            <QuotaMeters quota={quota} label={texts.quotas.subjects[quota.subject]} />
          </li>
        ))}
      </ul>
      <p className="soft">{texts.quotas.renews(format.full(data.renews_at))}</p>
    </section>
  );
}

/** Usage of one quota. Without a limit, shows only the amounts. */
export function QuotaMeters({ quota, label }: { quota: MonthlyQuotaResponse; label: string }) {
  const texts = useBudgetTexts();
  const format = useFormat();
  const formatCost = useCostFormat();
  const { max_tokens, max_cost_micros, tokens, cost_micros } = quota;
  const named = (limit: string) => (label ? texts.quotas.limit(label, limit) : limit);
  const unlimited = [
    !max_tokens && texts.quotas.tokens(format.number(tokens)),
    !max_cost_micros && cost_micros > 0 && formatCost(cost_micros),
  ].filter((text) => text !== false);
  return (
    <>
      {!!max_tokens && (
        <Meter
          label={named(texts.limits.max_tokens)}
          used={tokens}
          limit={max_tokens}
          format={format.number}
        />
      )}
      {!!max_cost_micros && (
        <Meter
          label={named(texts.limits.max_cost_micros)}
          used={cost_micros}
          limit={max_cost_micros}
          format={formatCost}
        />
      )}
      {unlimited.length > 0 && <p className="soft">{texts.quotas.unlimited(format.list(unlimited))}</p>}
    </>
  );
}
