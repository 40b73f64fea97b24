/** Requests that permanently erase content of a session. */
import type { FileId, MessageId, ParticipantId, SessionId } from "../protocol";
import { commandId } from "./commandId";
import { request } from "./rest";

/** Target of a redaction. */
export type RedactionTarget =
  | { kind: "message"; id: MessageId }
  | { kind: "file"; id: FileId }
  | { kind: "participant"; id: ParticipantId }
  | { kind: "session" };

export function redact(session: SessionId, target: RedactionTarget, reason: string): Promise<unknown> {
  const path = `/api/v1/sessions/${session}`;
  const reasonField = reason ? { reason } : {};
  if (target.kind === "session")
    return request("POST", `${path}/redact`, { id: commandId(), ...reasonField });
  const data = {
    [target.kind]: target.id,
    ...(target.kind === "participant" ? { content: true } : reasonField),
  };
  return request("POST", `${path}/commands`, { id: commandId(), do: "redact", data });
}
