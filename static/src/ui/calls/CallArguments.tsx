/** What a tool is called with: each value as what it is, programs as programs. */
import { useMemo } from "react";
import { useWords } from "../../i18n/locale";
import { splitArguments } from "./splitArguments";
import { TextBlock } from "./TextBlock";
import { escapeHidden } from "../../text/hiddenCharacters";

interface Props {
  tool: string;
  json: string;
  /** However long they are: they are decided on. */
  whole?: boolean;
}

export function CallArguments({ tool, json, whole }: Props) {
  const words = useWords().work.tool;
  const { rest, texts } = useMemo(() => splitArguments(tool, json), [tool, json]);
  return (
    <>
      {rest !== null && <TextBlock text={rest} label={words.arguments} json whole={whole} />}
      {texts.map(({ name, text, language }, i) => (
        <div key={i} className="text-argument">
          <p className="subhead">
            <code>{escapeHidden(name)}</code>
            {language && <span className="tag">{language}</span>}
          </p>
          <TextBlock
            text={escapeHidden(text)}
            label={escapeHidden(name)}
            language={language}
            copy={words.copyArgument}
            whole={whole}
          />
        </div>
      ))}
    </>
  );
}
