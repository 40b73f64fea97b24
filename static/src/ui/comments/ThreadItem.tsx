/** Thread of comments: its place, its comments, and what I can do with it. */
import { useState } from "react";
import "../../styles/comments.css";
import type { CommentThread, Gate, SessionId } from "../../protocol";
import { useCommentTexts } from "../../i18n/comments.en";
import { useTexts } from "../../i18n/locale";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { previewFile } from "../../app/viewState";
import { canDecide } from "../../state/gateSelectors";
import { isOutdated } from "../../state/commentThreads";
import { escapeBidi, escapeHidden } from "../../text/hiddenCharacters";
import { actorName } from "../names";
import { useIsExcluded } from "../gates/SeparateDuties";
import { CommentEditor } from "./CommentEditor";

interface Props {
  session: SessionId;
  gate: Gate;
  thread: CommentThread;
  /** True if I may comment. */
  canComment: boolean;
  /** True if the file of the thread is on screen, so that its name does not need to be shown. */
  inFile?: boolean;
}

export function ThreadItem({ session, gate, thread, canComment, inFile = false }: Props) {
  const texts = useCommentTexts();
  const all = useTexts();
  const client = useClient();
  const live = useLive();
  const me = useMe();
  const excluded = useIsExcluded(session, gate);
  const canVote = useSession(session, (state) => canDecide(state, gate, me));
  const outdated = useSession(session, (state) => isOutdated(state, gate, thread));
  const { place, comments, resolved } = thread;
  const { file } = place;
  const began = comments[0]?.by.id === me;
  const [replies, setReplies] = useState(false);
  return (
    <li className={resolved ? "thread resolved" : "thread"} data-testid="thread">
      <p className="thread-place">
        {file && !inFile && (
          <button type="button" className="text" onClick={() => previewFile(file.id)}>
            {escapeHidden(file.name)}
          </button>
        )}{" "}
        {place.quote ? <q>{escapeHidden(place.quote)}</q> : (!file || inFile) && texts.whole}
        {place.line && <span className="soft"> {texts.line(place.line)}</span>}
        {outdated && <span className="tag">{texts.outdated(file?.version ?? place.rev)}</span>}
        {resolved && <span className="tag">{texts.resolvedBy(actorName(resolved.by, all))}</span>}
      </p>
      {comments.map((comment) => (
        <p key={comment.id} className="thread-comment" dir="auto">
          <b>{actorName(comment.by, all)}</b>{" "}
          {comment.redacted ? <i className="soft">{texts.erased}</i> : escapeBidi(comment.text)}
          {canComment && comment.by.id === me && !comment.redacted && (
            <button
              type="button"
              className="quiet"
              disabled={!live}
              onClick={() => client.deleteComment(session, gate.id, comment.id)}
            >
              {texts.delete}
            </button>
          )}
        </p>
      ))}
      {canComment && !replies && (
        <p className="thread-acts">
          <button type="button" className="quiet" disabled={!live} onClick={() => setReplies(true)}>
            {texts.reply}
          </button>
          {(began || (canVote && !excluded)) && (
            <button
              type="button"
              className="quiet"
              disabled={!live}
              onClick={() => client.resolveComment(session, gate.id, place.thread, !resolved)}
            >
              {resolved ? texts.reopen : texts.resolve}
            </button>
          )}
        </p>
      )}
      {replies && (
        <CommentEditor
          session={session}
          gate={gate}
          label={texts.reply}
          target={{ thread: place.thread }}
          onDone={() => setReplies(false)}
          closable
        />
      )}
    </li>
  );
}
