/** Comments at a gate: threads with their replies, and the form for a new one. */
import { useState } from "react";
import "../../styles/comments.css";
import type { Gate, SessionId } from "../../protocol";
import { useCommentTexts, type CommentTexts } from "../../i18n/comments.en";
import { useTexts } from "../../i18n/locale";
import { useSession } from "../../app/hooks";
import {
  commentableFiles,
  hasContent,
  openThreads,
  placesOf,
  type CommentTarget,
} from "../../state/commentThreads";
import { isText } from "../../state/files";
import { escapeHidden } from "../../text/hiddenCharacters";
import { Icon } from "../components/Icon";
import { CommentEditor } from "./CommentEditor";
import { LineField } from "./LineField";
import { ThreadItem } from "./ThreadItem";

interface Props {
  session: SessionId;
  gate: Gate;
  /** True if I may comment. */
  canComment: boolean;
  /** True if I asked to comment, so that the form opens immediately. */
  opens?: boolean;
}

export function GateComments({ session, gate, canComment, opens = false }: Props) {
  const texts = useCommentTexts();
  const { addComment } = useTexts().gate;
  const open = openThreads(gate);
  const threads = gate.threads ?? [];
  return (
    <section className="comments" aria-label={texts.title(0)} data-testid="comments">
      {gate.comments_hold && open > 0 && (
        <p className="dock-missing" role="status" data-testid="held">
          <Icon name="hourglass" size={14} /> {texts.held}
        </p>
      )}
      <details open={opens}>
        <summary>{threads.length > 0 ? texts.title(open) : addComment}</summary>
        <ul>
          {threads.map((thread) => (
            <ThreadItem
              key={thread.place.thread}
              session={session}
              gate={gate}
              thread={thread}
              canComment={canComment}
            />
          ))}
        </ul>
        {canComment && <NewThread session={session} gate={gate} />}
      </details>
    </section>
  );
}

function NewThread({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useCommentTexts();
  // A selector must return a stable value, so the choices are derived from the whole state here.
  const state = useSession(session, (state) => state);
  const places = placesOf(state, gate);
  const files = commentableFiles(state);
  const shows = hasContent(gate);
  // If the chosen place is gone, no other place replaces it, because the comment would then be about
  // something else.
  const [chosen, setChosen] = useState(shows ? "" : (files[0]?.id ?? ""));
  const [line, setLine] = useState<number | null>(null);
  const place = places.find((one) => keyOf(one) === chosen);
  const file = files.find(({ id }) => id === chosen);
  const isGone = !place && !file && (chosen !== "" || !shows);
  const choose = (key: string) => {
    setChosen(key);
    setLine(null);
  };
  const target = (): CommentTarget | null => {
    if (isGone) return null;
    if (file) return { file: file.id, ...(line && { line }) };
    return place ? { path: place.path, ...(place.line && { line: place.line }) } : {};
  };
  return (
    <CommentEditor
      session={session}
      gate={gate}
      label={texts.text}
      target={target()}
      onDone={() => choose(shows ? "" : chosen)}
    >
      <label>
        <span>{texts.where}</span>
        <select name="place" value={chosen} onChange={(event) => choose(event.target.value)}>
          {isGone && (
            <option value={chosen} disabled>
              {texts.gone}
            </option>
          )}
          {shows && <option value="">{texts.whole}</option>}
          {places.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {labelOf(one, texts)}
            </option>
          ))}
          {files.length > 0 && (
            <optgroup label={texts.files}>
              {files.map(({ id, name }) => (
                <option key={id} value={id}>
                  {escapeHidden(name)}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      {file && isText(file) && <LineField file={file} line={line} onChange={setLine} withPreview />}
    </CommentEditor>
  );
}

function keyOf({ path, line }: { path: string; line?: number }): string {
  return `${path}#${line ?? ""}`;
}

/** Maximum number of characters of a line in the list of places. */
const MAX_SHOWN = 60;

function labelOf(
  { path, line, text }: { path: string; line?: number; text: string },
  texts: CommentTexts,
): string {
  const where = [path.slice(1), line && line > 1 ? texts.line(line) : ""].filter(Boolean).join(", ");
  const short = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return escapeHidden(where ? `${where}: ${short}` : short);
}
