/** What a search in documents has found for an agent. */
import { useMemo } from "react";
import type { SessionId } from "../../protocol";
import { hitsIn, queryIn, type ToolHit } from "../../state/hits";
import { useOpened } from "../../app/opened";
import { useSession } from "../../app/hooks";
import { showFile, showPassage } from "../../app/shown";
import { useWords } from "../../i18n/locale";
import type { CallTrace } from "../../state/calls";
import { HitView } from "../knowledge/HitView";
import { Icon } from "../parts/Icon";
import { Pre } from "./Pre";
import { visible } from "./visible";

interface Props {
  session: SessionId;
  call: CallTrace;
  output: string;
}

export function Hits({ session, call, output }: Props) {
  const words = useWords();
  const told = useMemo(() => hitsIn(output), [output]);
  const query = useMemo(() => queryIn(call.arguments), [call.arguments]);
  const files = useSession(session, (state) => state.files);
  const [open, toggle] = useOpened(`${session} source ${call.id}`);
  const { tool } = words.work;
  const whole = <Pre text={visible(output)} label={tool.output} copy={tool.copyOutput} />;
  if (!told) return whole;
  const look = ({ base, name, version, line, text }: ToolHit) => {
    if (base) return () => showPassage({ base: base.id, hit: { document: name, line, text }, query });
    const file = files.find((one) => one.name === name && one.version === version);
    return file ? () => showFile(file.id) : null;
  };
  return (
    <>
      {told.hits.length === 0 && <p className="soft">{words.knowledge.hits.nothing}</p>}
      <ol className="hits">
        {told.hits.map((hit, i) => (
          <li key={i}>
            <HitView
              name={hit.name}
              line={hit.line}
              text={hit.text}
              query={query}
              icon={hit.base ? "book" : "file"}
              onLook={look(hit)}
            >
              <span className="hit-place spread">
                {hit.base ? visible(hit.base.name) : words.files.version(hit.version!)}
              </span>
            </HitView>
          </li>
        ))}
      </ol>
      {told.notes.map((note) => (
        <p key={note} className="hit-note">
          <Icon name="info" size={13} /> {visible(note)}
        </p>
      ))}
      <button type="button" className="text source" aria-expanded={open} onClick={toggle}>
        {words.knowledge.hits.source}
      </button>
      {open && whole}
    </>
  );
}
