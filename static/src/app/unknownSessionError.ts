/** URLs that do not name a session. */
import type { ServerFrame, SessionId } from "../protocol";

/** Form of a session id. */
const SESSION_ID = /^s_[0-9a-f]{32}$/;

/**
 * Returns the error for an id that no session can have; null for any other. The server's error could not name such a
 * session.
 */
export function unknownSessionError(session: SessionId): ServerFrame | null {
  if (SESSION_ID.test(session)) return null;
  return { type: "error", session, code: "unknown_session", message: "", retryable: false };
}
