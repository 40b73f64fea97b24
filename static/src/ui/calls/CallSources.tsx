/** Sources of a call: the messages, files and results that its agent could have read, with links to them. */
import type { CallSource, SessionId } from "../../protocol";
import type { CallTrace } from "../../state/calls";
import type { SessionState } from "../../state/model";
import { previewFile, scrollToRow } from "../../app/viewState";
import { useSession } from "../../app/hooks";
import { useFormat } from "../../i18n/locale";
import { useSourceTexts, type SourceTexts } from "../../i18n/sources.en";
import { abbreviate } from "../../json/jsonText";
import { escapeHidden } from "../../text/hiddenCharacters";
import { Icon } from "../components/Icon";
import { agentName, personName } from "../names";
import "../../styles/sources.css";

/** Kinds of sources that people outside the team can write to. */
const FOREIGN: readonly string[] = ["guest", "file", "knowledge", "web", "tool"];

export function CallSources({ session, call }: { session: SessionId; call: CallTrace }) {
  const texts = useSourceTexts();
  const format = useFormat();
  const state = useSession(session, ({ team, participants, formerParticipants, files, calls, messages }) => ({
    team,
    participants,
    formerParticipants,
    files,
    calls,
    messages,
  }));
  const { kinds = [], newest = [], more } = call.sources ?? {};
  const foreign = kinds.some((kind) => FOREIGN.includes(kind));
  return (
    <details className={foreign ? "call-sources foreign" : "call-sources"} data-testid="sources">
      <summary>
        {foreign && <Icon name="warning" size={13} />}
        <span>
          {kinds.length ? texts.from(format.list(kinds.map((kind) => texts.kinds[kind]))) : texts.none}
        </span>
      </summary>
      <p className="soft">{texts.means}</p>
      <ol aria-label={texts.title}>
        {newest.map((source) => {
          const text = escapeHidden(sourceText(source, state, texts));
          const open = opener(session, source, state);
          return (
            <li key={`${source.kind} ${source.id}`} className={source.guest ? "guest" : undefined}>
              {open ? (
                <button type="button" className="text" onClick={open}>
                  {text}
                </button>
              ) : (
                text
              )}
            </li>
          );
        })}
      </ol>
      {more && <p className="soft">{texts.more}</p>}
    </details>
  );
}

type SourceState = Pick<
  SessionState,
  "team" | "participants" | "formerParticipants" | "files" | "calls" | "messages"
>;

/** Describes a source. */
function sourceText({ kind, id, by, guest }: CallSource, state: SourceState, texts: SourceTexts): string {
  // The message still names an author who has left.
  const message = state.messages.find((message) => message.id === id);
  const known = message ? message.by.name : personName(state, by);
  const person = guest ? texts.guest(known) : known;
  switch (kind) {
    case "person":
    case "guest":
    case "bot":
      return id.startsWith("g_") ? texts.edit(person) : texts.message(person);
    case "agent":
      return texts.answer(agentName(state, by));
    case "file": {
      const file = state.files.find((file) => file.id === id);
      return file ? texts.file(file.name, file.version, person) : texts.fileGone(person);
    }
    case "knowledge":
    case "code":
    case "web":
    case "tool": {
      const call = state.calls[id];
      const agent = agentName(state, by);
      if (!call) return texts.resultOf(texts.kinds[kind], agent);
      return texts.result(call.name, abbreviate(call.arguments), agent);
    }
  }
}

/** Returns a function that shows the source, or null if this page does not have it. */
function opener(session: SessionId, { id }: CallSource, state: SourceState): (() => void) | null {
  if (id.startsWith("f_")) return state.files.some((file) => file.id === id) ? () => previewFile(id) : null;
  const call = state.calls[id];
  // A call is part of the message of its turn.
  const row = id.startsWith("t_") ? call && (call.message ?? call.id) : id;
  return row ? () => scrollToRow({ session, row }) : null;
}
