/** A session that the server does not show: why, and the way back. */
import type { ErrorBody, SessionId } from "../../protocol";
import { go } from "../../app/route";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { Blank } from "./Blank";
import { Knocking, useKnock } from "./Knocking";

interface Props {
  session: SessionId | null;
  problem: ErrorBody;
  onHelp: () => void;
}

export function Unopened({ session, problem, onHelp }: Props) {
  const words = useWords();
  const unknown = problem.code === "unknown_session";
  // Whoever asked to come in waits here for the answer.
  const knock = useKnock(unknown ? session : null);
  if (knock)
    return (
      <Blank onHelp={onHelp}>
        <Knocking refused={knock === "refused"} />
      </Blank>
    );
  return (
    <Blank onHelp={onHelp}>
      <Icon name="warning" size={36} />
      <h1>{words.unopened.title}</h1>
      <p role="alert">{unknown ? words.unopened.unknown : problem.message}</p>
      {unknown && <p className="soft">{words.unopened.ask}</p>}
      <button type="button" className="primary" onClick={() => go("/")}>
        {words.unopened.back}
      </button>
    </Blank>
  );
}
