/** Passages that a document search returned to an agent. */
import { useMemo } from "react";
import type { SessionId } from "../../protocol";
import { parseSearchOutput, parseSearchQuery, type SearchHit } from "../../state/searchOutput";
import { useExpanded, previewFile, previewPassage } from "../../app/viewState";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import type { CallTrace } from "../../state/calls";
import { PassageResult } from "../knowledge/BaseSearch";
import { Icon } from "../components/Icon";
import { TextBlock } from "./TextBlock";
import { escapeHidden } from "../../text/hiddenCharacters";

interface Props {
  session: SessionId;
  call: CallTrace;
  output: string;
}

export function SearchResults({ session, call, output }: Props) {
  const texts = useTexts();
  const parsed = useMemo(() => parseSearchOutput(output), [output]);
  const query = useMemo(() => parseSearchQuery(call.arguments), [call.arguments]);
  const files = useSession(session, (state) => state.files);
  const [open, toggle] = useExpanded(`${session} source ${call.id}`);
  const { tool } = texts.work;
  const rawOutput = <TextBlock text={escapeHidden(output)} label={tool.output} copy={tool.copyOutput} />;
  if (!parsed) return rawOutput;
  const look = ({ base, name, version, line, text }: SearchHit) => {
    if (base) return () => previewPassage({ base: base.id, hit: { document: name, line, text }, query });
    const file = files.find((one) => one.name === name && one.version === version);
    return file ? () => previewFile(file.id) : null;
  };
  return (
    <>
      {parsed.hits.length === 0 && <p className="soft">{texts.knowledge.hits.nothing}</p>}
      <ol className="hits">
        {parsed.hits.map((hit, i) => (
          <li key={i}>
            <PassageResult
              name={hit.name}
              line={hit.line}
              text={hit.text}
              query={query}
              icon={hit.base ? "book" : "file"}
              onLook={look(hit)}
            >
              <span className="hit-place spread">
                {hit.base ? escapeHidden(hit.base.name) : texts.files.version(hit.version!)}
              </span>
            </PassageResult>
          </li>
        ))}
      </ol>
      {parsed.notes.map((note) => (
        <p key={note} className="hit-note">
          <Icon name="info" size={13} /> {escapeHidden(note)}
        </p>
      ))}
      <button type="button" className="text source" aria-expanded={open} onClick={toggle}>
        {texts.knowledge.hits.source}
      </button>
      {open && rawOutput}
    </>
  );
}
