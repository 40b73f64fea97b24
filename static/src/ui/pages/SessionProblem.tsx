/** A session that the server does not show: why, and the way back. */
import type { ErrorBody, SessionId } from "../../protocol";
import { navigate } from "../../app/route";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { EmptyPage } from "./EmptyPage";
import { WaitingRoom, useKnock } from "./WaitingRoom";

interface Props {
  session: SessionId | null;
  problem: ErrorBody;
  onHelp: () => void;
}

export function SessionProblem({ session, problem, onHelp }: Props) {
  const words = useWords();
  const unknown = problem.code === "unknown_session";
  // Whoever asked to come in waits here for the answer.
  const knock = useKnock(unknown ? session : null);
  if (knock)
    return (
      <EmptyPage onHelp={onHelp}>
        <WaitingRoom refused={knock === "refused"} />
      </EmptyPage>
    );
  return (
    <EmptyPage onHelp={onHelp}>
      <Icon name="warning" size={36} />
      <h1>{words.unopened.title}</h1>
      <p role="alert">{unknown ? words.unopened.unknown : problem.message}</p>
      {unknown && <p className="soft">{words.unopened.ask}</p>}
      <button type="button" className="primary" onClick={() => navigate("/")}>
        {words.unopened.back}
      </button>
    </EmptyPage>
  );
}
