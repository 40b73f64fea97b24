/** Comments on the content of a gate: threads with their replies, and the form for a new one. */
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import "../../styles/comments.css";
import type { CommentThread, Gate, SessionId } from "../../protocol";
import { useCommentTexts, type CommentTexts } from "../../i18n/comments.en";
import { useTexts } from "../../i18n/locale";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { canDecide } from "../../state/gateSelectors";
import { openThreads, placesOf } from "../../state/commentThreads";
import { escapeBidi, escapeHidden, isBlank } from "../../text/hiddenCharacters";
import { CommandError } from "../components/ErrorNotice";
import { Icon } from "../components/Icon";
import { actorName } from "../names";
import { GateForm } from "./GateForm";
import { useIsExcluded } from "./SeparateDuties";

interface Props {
  session: SessionId;
  gate: Gate;
  /** True if I may comment. */
  canComment: boolean;
  /** True if it is shown because I want to comment, so that the form opens immediately. */
  opens?: boolean;
}

export function Comments({ session, gate, canComment, opens = false }: Props) {
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
            <Thread
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

function Thread({ session, gate, thread, canComment }: Props & { thread: CommentThread }) {
  const texts = useCommentTexts();
  const all = useTexts();
  const client = useClient();
  const live = useLive();
  const me = useMe();
  const excluded = useIsExcluded(session, gate);
  const canVote = useSession(session, (state) => canDecide(state, gate, me));
  const { place, comments, resolved } = thread;
  const began = comments[0]?.by.id === me;
  const [replies, setReplies] = useState(false);
  return (
    <li className={resolved ? "thread resolved" : "thread"} data-testid="thread">
      <p className="thread-place">
        {place.quote ? <q>{escapeHidden(place.quote)}</q> : texts.whole}
        {place.line && <span className="soft"> {texts.line(place.line)}</span>}
        {place.rev < gate.rev && <span className="tag">{texts.outdated(place.rev)}</span>}
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
        <WriteComment
          session={session}
          gate={gate}
          label={texts.reply}
          place={{ thread: place.thread }}
          onDone={() => setReplies(false)}
          closable
        />
      )}
    </li>
  );
}

function NewThread({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useCommentTexts();
  // A selector must return a stable value, so the choices are derived from the whole state here.
  const state = useSession(session, (state) => state);
  const places = placesOf(state, gate);
  const [chosen, setChosen] = useState("");
  const place = places.find((one) => keyOf(one) === chosen);
  return (
    <WriteComment
      session={session}
      gate={gate}
      label={texts.text}
      place={place ? { path: place.path, ...(place.line && { line: place.line }) } : {}}
      onDone={() => setChosen("")}
    >
      <label>
        <span>{texts.where}</span>
        <select name="place" value={place ? chosen : ""} onChange={(event) => setChosen(event.target.value)}>
          <option value="">{texts.whole}</option>
          {places.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {labelOf(one, texts)}
            </option>
          ))}
        </select>
      </label>
    </WriteComment>
  );
}

function keyOf({ path, line }: { path: string; line?: number }): string {
  return `${path}#${line ?? ""}`;
}

/** Maximum characters of a line that a list shows. */
const MAX_SHOWN = 60;

function labelOf(
  { path, line, text }: { path: string; line?: number; text: string },
  texts: CommentTexts,
): string {
  const where = [path.slice(1), line && line > 1 ? texts.line(line) : ""].filter(Boolean).join(", ");
  const short = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return escapeHidden(where ? `${where}: ${short}` : short);
}

interface WriteProps {
  session: SessionId;
  gate: Gate;
  label: string;
  place: { thread?: string; path?: string; line?: number };
  closable?: boolean;
  onDone: () => void;
  children?: ReactNode;
}

function WriteComment({ session, gate, label, place, closable, onDone, children }: WriteProps) {
  const texts = useCommentTexts();
  const client = useClient();
  const live = useLive();
  const [text, setText] = useState("");
  const pending = useSession(session, (state) =>
    state.pending.findLast(
      ({ command }) =>
        command.do === "comment" && command.data?.gate === gate.id && command.data.thread === place.thread,
    ),
  );
  const busy = !!pending && !pending.error;
  // Only an accepted comment clears the field.
  const acting = useRef(false);
  useLayoutEffect(() => {
    if (acting.current && !pending) {
      setText("");
      onDone();
    }
    acting.current = busy;
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [busy, pending]);
  return (
    <GateForm
      className="comment-form"
      submit={texts.send}
      secondary
      disabled={!live || busy || isBlank(text)}
      onSubmit={() => client.comment(session, gate, { ...place, text: text.trim() })}
      onCancel={closable ? onDone : undefined}
      aside={<small>{texts.means}</small>}
    >
      {children}
      <label>
        <span>{label}</span>
        <textarea
          name="comment"
          dir="auto"
          rows={2}
          maxLength={2000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      {pending?.error && <CommandError session={session} pending={pending} />}
    </GateForm>
  );
}
