/** Totals of tokens and cost, from the events. */
import type { UsageTotals } from "../protocol";
import type { EventOf } from "../wire/frames";
import { noUsage, type SessionState } from "./model";

/** Applies the usage of a turn. */
export function applyUsage(session: SessionState, frame: EventOf<"usage.recorded">): SessionState {
  const { agent, participant, run } = frame.data;
  const { byAgent, byParticipant, ofRun } = session.usage;
  return {
    ...session,
    usage: {
      byAgent: addToList(byAgent, agent, frame),
      byParticipant: participant ? addToList(byParticipant, participant, frame) : byParticipant,
      ofRun: ofRun.of === run ? addUsage(ofRun, frame) : ofRun,
    },
  };
}

function addToList(list: UsageTotals[], of: string, frame: EventOf<"usage.recorded">): UsageTotals[] {
  const known = list.find((totals) => totals.of === of);
  if (!known) return [...list, addUsage({ ...noUsage, of }, frame)];
  return list.map((totals) => (totals === known ? addUsage(totals, frame) : totals));
}

function addUsage(totals: UsageTotals, { data }: EventOf<"usage.recorded">): UsageTotals {
  return {
    of: totals.of,
    turns: totals.turns + 1,
    input_tokens: totals.input_tokens + data.input_tokens,
    output_tokens: totals.output_tokens + data.output_tokens,
    cost_micros: totals.cost_micros + data.cost_micros,
    estimated: totals.estimated || data.estimated,
  };
}
