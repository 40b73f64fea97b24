/** Words that stand for what the tool would have said. */
import type { Gate, SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Say } from "./Say";

interface Props {
  session: SessionId;
  gate: Gate;
  onClose: () => void;
}

export function Respond({ session, gate, onClose }: Props) {
  const { gates } = useWords().work;
  const client = useClient();
  return (
    <Say
      session={session}
      gate={gate}
      as="respond"
      label={gates.response}
      submit={gates.sendResponse}
      onSend={(said) => client.answer(session, gate, said)}
      onClose={onClose}
    />
  );
}
