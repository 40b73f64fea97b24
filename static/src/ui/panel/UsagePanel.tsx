/**
 * Tokens and cost: the limits and their current usage, then the usage of this run, by agent, and by person.
 */
import type { SessionId, UsageTotals } from "../../protocol";
import { useSession, useCostFormat } from "../../app/hooks";
import { useFormat, useTexts } from "../../i18n/locale";
import { BudgetList } from "../budget/BudgetList";
import { SessionQuotas } from "../budget/MonthlyQuotas";
import { agentName, personName } from "../names";

/** Id that takes the place of an agent in the usage of generated titles. */
const TITLES = "session.title";

export function UsagePanel({ session }: { session: SessionId }) {
  const texts = useTexts();
  const usage = useSession(session, (state) => state.usage);
  const known = useSession(session, ({ team, participants, formerParticipants }) => ({
    team,
    participants,
    formerParticipants,
  }));
  const limits = (
    <>
      <BudgetList session={session} />
      <SessionQuotas session={session} />
    </>
  );
  if (usage.byAgent.length === 0)
    return (
      <>
        {limits}
        <p className="soft">{texts.panel.noUsage}</p>
      </>
    );
  const all = [...usage.byAgent, ...usage.byParticipant, usage.ofRun];
  return (
    <>
      {limits}
      {usage.ofRun.turns > 0 && (
        <UsageTable title={texts.panel.thisRun} list={[usage.ofRun]} name={() => texts.panel.total} />
      )}
      <UsageTable
        title={texts.panel.perAgent}
        list={usage.byAgent}
        name={(id) => (id === TITLES ? texts.panel.titles : agentName(known, id))}
        total={texts.panel.total}
      />
      {usage.byParticipant.length > 0 && (
        <UsageTable
          title={texts.panel.perPerson}
          list={usage.byParticipant}
          name={(id) => personName(known, id)}
        />
      )}
      {all.some((totals) => totals.estimated) && <p className="soft">{texts.panel.estimate}</p>}
    </>
  );
}

interface UsageTableProps {
  title: string;
  list: UsageTotals[];
  name: (of: string) => string;
  /** Label of the total; undefined hides the total. */
  total?: string;
}

function UsageTable({ title, list, name, total }: UsageTableProps) {
  const texts = useTexts();
  const format = useFormat();
  const formatCost = useCostFormat();
  const maxTokens = Math.max(...list.map(tokens), 1);
  const priced = list.some((totals) => totals.cost_micros > 0);
  return (
    <section>
      <h2>{title}</h2>
      <table className="usage">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">{title}</span>
            </th>
            <th scope="col">{texts.panel.input}</th>
            <th scope="col">{texts.panel.output}</th>
            {priced && <th scope="col">{texts.panel.costs}</th>}
          </tr>
        </thead>
        <tbody>
          {list.map((totals) => (
            <tr key={totals.of}>
              <th scope="row">
                <span className="usage-name">{name(totals.of)}</span>
                {list.length > 1 && (
                  <span
                    className="bar"
                    style={{ width: `${(100 * tokens(totals)) / maxTokens}%` }}
                    aria-hidden="true"
                  />
                )}
              </th>
              <td>
                {totals.estimated && "≈"}
                {format.number(totals.input_tokens)}
              </td>
              <td>{format.number(totals.output_tokens)}</td>
              {priced && <td>{formatCost(totals.cost_micros)}</td>}
            </tr>
          ))}
        </tbody>
        {total && list.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row">{total}</th>
              <td>{format.number(sum(list, "input_tokens"))}</td>
              <td>{format.number(sum(list, "output_tokens"))}</td>
              {priced && <td>{formatCost(sum(list, "cost_micros"))}</td>}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

function sum(list: UsageTotals[], of: "input_tokens" | "output_tokens" | "cost_micros"): number {
  return list.reduce((sum, totals) => sum + totals[of], 0);
}

function tokens(totals: UsageTotals): number {
  return totals.input_tokens + totals.output_tokens;
}
