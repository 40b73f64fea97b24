/** A vote against says what should change; a call may be refused without a word. */
import type { ReactNode } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { SendState } from "../../app/gateDrafts";
import { useClient } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { CommentForm } from "./CommentForm";
import { actionLabels } from "./gateText";

interface Props {
  session: SessionId;
  gate: Gate;
  sent: SendState;
  onClose: () => void;
  children: ReactNode;
}

export function RejectForm({ session, gate, sent, onClose, children }: Props) {
  const words = useWords();
  const client = useClient();
  const acts = actionLabels(gate, words);
  return (
    <CommentForm
      session={session}
      gate={gate}
      sent={sent}
      as="reject"
      label={acts.comment}
      submit={acts.sendReject}
      hint={gate.kind === "feedback" ? words.gate.commentHint : undefined}
      optional={!!gate.call}
      danger
      onSend={(said) => client.vote(session, gate, "reject", said || undefined)}
      onClose={onClose}
    >
      {children}
    </CommentForm>
  );
}
