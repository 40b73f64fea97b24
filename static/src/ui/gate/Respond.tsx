/** Words that stand for what the tool would have said. */
import type { ReactNode } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { Sent } from "../../app/begun";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Say } from "./Say";

interface Props {
  session: SessionId;
  gate: Gate;
  sent: Sent;
  onClose: () => void;
  children: ReactNode;
}

export function Respond({ session, gate, sent, onClose, children }: Props) {
  const { gates } = useWords().work;
  const client = useClient();
  return (
    <Say
      session={session}
      gate={gate}
      sent={sent}
      as="respond"
      label={gates.response}
      submit={gates.sendResponse}
      onSend={(said) => client.answer(session, gate, said)}
      onClose={onClose}
    >
      {children}
    </Say>
  );
}
