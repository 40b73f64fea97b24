/** Words that stand for what the tool would have said. */
import type { ReactNode } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { SendState } from "../../app/gateDrafts";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { CommentForm } from "./CommentForm";

interface Props {
  session: SessionId;
  gate: Gate;
  sent: SendState;
  onClose: () => void;
  children: ReactNode;
}

export function RespondForm({ session, gate, sent, onClose, children }: Props) {
  const { gates } = useWords().work;
  const client = useClient();
  return (
    <CommentForm
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
    </CommentForm>
  );
}
