/** What people answered to a question; fetched where the snapshot left it out. */
import type { SessionId } from "../../protocol";
import type { CallTrace } from "../../state/calls";
import { plain, type Question } from "../../state/steps";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { who } from "../parts/who";
import { inWords } from "./json";
import { useResult } from "./useResult";

interface Props {
  session: SessionId;
  call: CallTrace;
  question: Question;
}

export function Answer({ session, call, question }: Props) {
  const words = useWords();
  const { tool } = words.work;
  const people = useSession(session, ({ participants, former }) => ({ participants, former }));
  const result = useResult(session, call, call.state === "completed" && question.answer === null);
  const answer = question.answer ?? plain(result?.output ?? null);
  if (question.lapsed) return <p className="answer soft">{tool.noAnswer}</p>;
  if (answer === null) return null;
  return (
    <p className="answer">
      <Icon name="reply" size={13} />
      <span>{inWords(answer)}</span>
      {question.by && <cite>{who(question.by, words, people)}</cite>}
    </p>
  );
}
