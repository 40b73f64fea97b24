/** Comments on the content of a gate: threads with their replies, and the form for a new one. */
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import "../../styles/comments.css";
import type { CommentThread, Gate, SessionId } from "../../protocol";
import { comments as en, type CommentWords } from "../../i18n/comments.en";
import { comments as zh } from "../../i18n/comments.zh";
import { useLocale, useWords } from "../../i18n/locale";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { canDecide } from "../../state/gateSelectors";
import { openThreads, placesOf } from "../../state/commentThreads";
import { escapeBidi, escapeHidden, isBlank } from "../../text/hiddenCharacters";
import { RefusedCommand } from "../components/ErrorNotice";
import { Icon } from "../components/Icon";
import { actorName } from "../names";
import { GateForm } from "./GateForm";
import { useIsExcluded } from "./SeparateDuties";

interface Props {
  session: SessionId;
  gate: Gate;
  /** True if I may comment. */
  speaks: boolean;
  /** True if it is shown because I want to comment, so that the form opens immediately. */
  opens?: boolean;
}

function useCommentWords(): CommentWords {
  return useLocale().locale === "zh" ? zh : en;
}

export function Comments({ session, gate, speaks, opens = false }: Props) {
  const words = useCommentWords();
  const { addComment } = useWords().gate;
  const open = openThreads(gate);
  const threads = gate.threads ?? [];
  return (
    <section className="comments" aria-label={words.title(0)} data-testid="comments">
      {gate.comments_hold && open > 0 && (
        <p className="dock-missing" role="status" data-testid="held">
          <Icon name="hourglass" size={14} /> {words.held}
        </p>
      )}
      <details open={opens}>
        <summary>{threads.length > 0 ? words.title(open) : addComment}</summary>
        <ul>
          {threads.map((thread) => (
            <Thread key={thread.place.thread} session={session} gate={gate} thread={thread} speaks={speaks} />
          ))}
        </ul>
        {speaks && <NewThread session={session} gate={gate} />}
      </details>
    </section>
  );
}

function Thread({ session, gate, thread, speaks }: Props & { thread: CommentThread }) {
  const words = useCommentWords();
  const all = useWords();
  const client = useClient();
  const live = useLive();
  const me = useMe();
  const excluded = useIsExcluded(session, gate);
  const may = useSession(session, (state) => canDecide(state, gate, me));
  const { place, comments, resolved } = thread;
  const began = comments[0]?.by.id === me;
  const [replies, setReplies] = useState(false);
  return (
    <li className={resolved ? "thread resolved" : "thread"} data-testid="thread">
      <p className="thread-place">
        {place.quote ? <q>{escapeHidden(place.quote)}</q> : words.whole}
        {place.line && <span className="soft"> {words.line(place.line)}</span>}
        {place.rev < gate.rev && <span className="tag">{words.outdated(place.rev)}</span>}
        {resolved && <span className="tag">{words.resolvedBy(actorName(resolved.by, all))}</span>}
      </p>
      {comments.map((comment) => (
        <p key={comment.id} className="thread-comment" dir="auto">
          <b>{actorName(comment.by, all)}</b>{" "}
          {comment.redacted ? <i className="soft">{words.erased}</i> : escapeBidi(comment.text)}
          {speaks && comment.by.id === me && !comment.redacted && (
            <button
              type="button"
              className="quiet"
              disabled={!live}
              onClick={() => client.deleteComment(session, gate.id, comment.id)}
            >
              {words.delete}
            </button>
          )}
        </p>
      ))}
      {speaks && !replies && (
        <p className="thread-acts">
          <button type="button" className="quiet" disabled={!live} onClick={() => setReplies(true)}>
            {words.reply}
          </button>
          {(began || (may && !excluded)) && (
            <button
              type="button"
              className="quiet"
              disabled={!live}
              onClick={() => client.resolveComment(session, gate.id, place.thread, !resolved)}
            >
              {resolved ? words.reopen : words.resolve}
            </button>
          )}
        </p>
      )}
      {replies && (
        <WriteComment
          session={session}
          gate={gate}
          label={words.reply}
          place={{ thread: place.thread }}
          onDone={() => setReplies(false)}
          closable
        />
      )}
    </li>
  );
}

function NewThread({ session, gate }: { session: SessionId; gate: Gate }) {
  const words = useCommentWords();
  // A selector must return a stable value, so the choices are derived from the whole state here.
  const state = useSession(session, (state) => state);
  const places = placesOf(state, gate);
  const [chosen, setChosen] = useState("");
  const place = places.find((one) => keyOf(one) === chosen);
  return (
    <WriteComment
      session={session}
      gate={gate}
      label={words.text}
      place={place ? { path: place.path, ...(place.line && { line: place.line }) } : {}}
      onDone={() => setChosen("")}
    >
      <label>
        <span>{words.where}</span>
        <select name="place" value={place ? chosen : ""} onChange={(event) => setChosen(event.target.value)}>
          <option value="">{words.whole}</option>
          {places.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {labelOf(one, words)}
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
  words: CommentWords,
): string {
  const where = [path.slice(1), line && line > 1 ? words.line(line) : ""].filter(Boolean).join(", ");
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
  const words = useCommentWords();
  const client = useClient();
  const live = useLive();
  const [text, setText] = useState("");
  const pending = useSession(session, (state) =>
    state.pending.findLast(
      ({ command }) =>
        command.do === "comment" && command.data?.gate === gate.id && command.data.thread === place.thread,
    ),
  );
  const busy = !!pending && !pending.refused;
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
      submit={words.send}
      secondary
      disabled={!live || busy || isBlank(text)}
      onSubmit={() => client.comment(session, gate, { ...place, text: text.trim() })}
      onCancel={closable ? onDone : undefined}
      aside={<small>{words.means}</small>}
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
      {pending?.refused && <RefusedCommand session={session} pending={pending} />}
    </GateForm>
  );
}
