/** The words of a vote or answer of mine that was refused, if it had any. */
import { useState } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { Pending } from "../../state/model";
import { useClient, useSession } from "../../app/hooks";
import { agentName } from "../names";
import { saidIn } from "./words";
import { YourWords } from "./YourWords";

interface Props {
  session: SessionId;
  pending: Pending;
  gate: Gate | undefined;
}

export function RefusedWords({ session, pending, gate }: Props) {
  const client = useClient();
  const team = useSession(session, (state) => state.team);
  const [text, setText] = useState(() => saidIn(pending, gate, (id) => agentName({ team }, id)));
  const [any] = useState(!!text);
  if (!any) return null;
  const said = () => client.drop(session, pending.command.id);
  return <YourWords session={session} text={text} onText={setText} onSaid={said} />;
}
