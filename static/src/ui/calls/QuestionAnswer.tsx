/** Answer to a question, which is fetched if the snapshot omitted it. */
import type { SessionId } from "../../protocol";
import type { CallTrace } from "../../state/calls";
import { unquoteAnswer, type PlanQuestion } from "../../state/planItems";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { actorName } from "../names";
import { jsonToText } from "../../json/jsonText";
import { useCallResult } from "./ToolCall";

interface Props {
  session: SessionId;
  call: CallTrace;
  question: PlanQuestion;
}

export function QuestionAnswer({ session, call, question }: Props) {
  const texts = useTexts();
  const { tool } = texts.work;
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const result = useCallResult(session, call, call.state === "completed" && question.answer === null);
  const answer = question.answer ?? unquoteAnswer(result?.output ?? null);
  if (question.lapsed) return <p className="answer soft">{tool.noAnswer}</p>;
  if (answer === null) return null;
  return (
    <p className="answer">
      <Icon name="reply" size={13} />
      <span>{jsonToText(answer)}</span>
      {question.by && <cite>{actorName(question.by, texts, people)}</cite>}
    </p>
  );
}
