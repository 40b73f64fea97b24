/** The words of a vote or answer of mine that was refused, if it had any. */
import { useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { PendingCommand } from "../../state/model";
import { useClient, useSession } from "../../app/hooks";
import { agentName } from "../names";
import { textOfCommand } from "./gateText";
import { RecoveredText } from "./RecoveredText";

interface Props {
  session: SessionId;
  pending: PendingCommand;
  gate: Gate | undefined;
}

export function RefusedText({ session, pending, gate }: Props) {
  const client = useClient();
  const team = useSession(session, (state) => state.team);
  const [text, setText] = useState(() => textOfCommand(pending, gate, (id) => agentName({ team }, id)));
  const [any] = useState(!!text);
  if (!any) return null;
  const said = () => client.dismiss(session, pending.command.id);
  return <RecoveredText session={session} text={text} onText={setText} onSaid={said} />;
}
