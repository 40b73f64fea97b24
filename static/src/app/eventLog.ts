/** What the log holds and a snapshot does not: fetched when somebody wants to see it. */
import type { CallId, SessionId, AttemptError } from "../protocol";
import { seqOf, type EventFrame } from "../wire/frames";
import { rest } from "../wire/rest";

/** Events that are asked for at a time. */
const PAGE_SIZE = 100;

/** All events after one seq. */
export async function fetchEventsAfter(session: SessionId, after: number): Promise<EventFrame[]> {
  const events: EventFrame[] = [];
  for await (const page of fetchPages(session, after)) events.push(...page);
  return events;
}

/** What came of a call. */
export interface CallResult {
  output?: string;
  error?: AttemptError;
}

/** What a call brought, null where the log does not say so yet. Its id says where in the log it was proposed. */
export async function fetchCallResult(session: SessionId, call: CallId): Promise<CallResult | null> {
  for await (const page of fetchPages(session, seqOf(call))) {
    for (const event of page) {
      if (event.event === "tool.completed" && event.data.call === call) return { output: event.data.output };
      if (event.event === "tool.failed" && event.data.call === call) return { error: event.data.error };
    }
  }
  return null;
}

async function* fetchPages(session: SessionId, after: number): AsyncGenerator<EventFrame[]> {
  for (let from = after; ;) {
    const { events, head } = await rest.log(session, from, PAGE_SIZE);
    if (events.length === 0) return;
    yield events;
    from = events.at(-1)!.seq;
    if (from >= head) return;
  }
}
