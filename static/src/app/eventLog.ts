/** Events of the log that a snapshot does not contain, fetched on demand. */
import type { CallId, SessionId, AttemptError } from "../protocol";
import { seqOf, type EventFrame } from "../wire/frames";
import { rest } from "../wire/rest";

/** Events requested at a time. */
const PAGE_SIZE = 100;

/** Fetches all events after a seq. */
export async function fetchEventsAfter(session: SessionId, after: number): Promise<EventFrame[]> {
  const events: EventFrame[] = [];
  for await (const page of fetchPages(session, after)) events.push(...page);
  return events;
}

/** Outcome of a call. */
export interface CallResult {
  output?: string;
  error?: AttemptError;
}

/** Fetches the outcome of a call; null if the log has none yet. The id of a call contains the seq of its proposal. */
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
