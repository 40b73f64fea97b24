/**
 * Comments on a file, next to its content, for participants who may comment: the threads at open gates, and
 * the form for a new one.
 */
import { useState, type ReactNode } from "react";
import "../../styles/comments.css";
import type { File, SessionId } from "../../protocol";
import { useCommentTexts } from "../../i18n/comments.en";
import { useTexts } from "../../i18n/locale";
import { useSession } from "../../app/hooks";
import { fileThreads, takesComments } from "../../state/commentThreads";
import { openGates } from "../../state/gateSelectors";
import { isText } from "../../state/files";
import { gateTitle } from "../gates/gateText";
import { CommentEditor } from "./CommentEditor";
import { LineField } from "./LineField";
import { ThreadItem } from "./ThreadItem";

interface Props {
  session: SessionId;
  file: File;
  /** True if this is the newest version of the file. */
  newest: boolean;
  line: number | null;
  onLine: (line: number | null) => void;
  /** Content of the file, in which a line can be chosen. */
  children: ReactNode;
}

export function FileComments({ session, file, newest, line, onLine, children }: Props) {
  const texts = useCommentTexts();
  const all = useTexts();
  // A selector must return a stable value, so the gates are derived from the whole state here.
  const state = useSession(session, (state) => state);
  const [chosen, setChosen] = useState<string | null>(null);
  const gates = openGates(state).filter(takesComments);
  const gate = gates.find(({ id }) => id === chosen) ?? gates[0];
  if (!gate) return children;
  const threads = fileThreads(gates, file);
  return (
    <>
      {children}
      <section className="comments" aria-label={texts.title(0)} data-testid="file-comments">
        <ul>
          {threads.map(([of, thread]) => (
            <ThreadItem
              key={thread.place.thread}
              session={session}
              gate={of}
              thread={thread}
              canComment
              inFile
            />
          ))}
        </ul>
        <CommentEditor
          session={session}
          gate={gate}
          label={texts.text}
          target={newest ? { file: file.id, ...(line && { line }) } : null}
          onDone={() => onLine(null)}
        >
          {gates.length > 1 && (
            <label>
              <span>{texts.decision}</span>
              <select name="gate" value={gate.id} onChange={({ target }) => setChosen(target.value)}>
                {gates.map((one) => (
                  <option key={one.id} value={one.id}>
                    {gateTitle(state, one, all)}
                  </option>
                ))}
              </select>
            </label>
          )}
          {!newest && <p role="status">{texts.newer}</p>}
          {isText(file) && <LineField file={file} line={line} onChange={onLine} />}
        </CommentEditor>
      </section>
    </>
  );
}
