/** Prices of decisions, next to their buttons. */
import type { Gate, SessionId } from "../../protocol";
import { discardCost, retryCost, rewriteCost, type DecisionCost } from "../../state/estimatedCost";
import { useApp, useCostFormat, useSession } from "../../app/hooks";
import { useDecisionCostTexts } from "../../i18n/decisionCost.en";
import { useFormat } from "../../i18n/locale";

/** Returns the amount rounded to two significant digits, so that the text does not change with each word. */
function rounded(amount: number): number {
  return Number(amount.toPrecision(2));
}

interface LineProps {
  /** Id that the button names in `aria-describedby`. */
  id?: string;
  action: "interrupt" | "cancel" | "rewrite" | "retry";
  cost: DecisionCost;
}

function Line({ id, action, cost: { tokens, cost_micros } }: LineProps) {
  const texts = useDecisionCostTexts();
  const format = useFormat();
  const formatCost = useCostFormat();
  const cost = cost_micros > 0 ? formatCost(rounded(cost_micros)) : null;
  return (
    <span id={id} className="soft decision-cost" data-testid={`${action}-cost`}>
      {texts[action](format.number(rounded(tokens)), cost)}
    </span>
  );
}

/**
 * Returns the cost of the text that an interrupt or the end of the run would discard now; 0 before the first
 * word.
 */
function useDiscardCost(session: SessionId): DecisionCost {
  const server = useApp((app) => app.server);
  const known = { models: server?.models ?? [], defaultModel: server?.model.name ?? "" };
  const tokens = useSession(session, (state) => rounded(discardCost(state, known).tokens));
  const cost_micros = useSession(session, (state) => rounded(discardCost(state, known).cost_micros));
  return { tokens, cost_micros };
}

/** Cost of the text that an interrupt would discard now. Shows nothing before the first word. */
export function InterruptCost({ session, id }: { session: SessionId; id: string }) {
  const cost = useDiscardCost(session);
  return cost.tokens > 0 ? <Line id={id} action="interrupt" cost={cost} /> : null;
}

/** Cost of the text that the end of the run would discard now. Shows nothing while no agent is writing. */
export function CancelCost({ session }: { session: SessionId }) {
  const cost = useDiscardCost(session);
  return cost.tokens > 0 ? <Line action="cancel" cost={cost} /> : null;
}

/** Estimated cost of another version of the gate's subject. */
export function RewriteCost({ session, gate, id }: { session: SessionId; gate: Gate; id: string }) {
  const tokens = useSession(session, (state) => rewriteCost(state, gate)?.tokens ?? 0);
  const micros = useSession(session, (state) => rewriteCost(state, gate)?.cost_micros ?? 0);
  return tokens > 0 ? <Line id={id} action="rewrite" cost={{ tokens, cost_micros: micros }} /> : null;
}

/** Estimated cost of retrying the failed run. */
export function RetryCost({ session, id }: { session: SessionId; id: string }) {
  const tokens = useSession(session, (state) => retryCost(state)?.tokens ?? 0);
  const micros = useSession(session, (state) => retryCost(state)?.cost_micros ?? 0);
  return tokens > 0 ? <Line id={id} action="retry" cost={{ tokens, cost_micros: micros }} /> : null;
}
