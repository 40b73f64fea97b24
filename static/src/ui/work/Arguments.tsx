/** What a tool is called with: each value as what it is, programs as programs. */
import { useMemo } from "react";
import { useWords } from "../../i18n/locale";
import { splitArguments } from "./arguments";
import { pretty } from "./json";
import { Pre } from "./Pre";
import { visible } from "./visible";

export function Arguments({ tool, json }: { tool: string; json: string }) {
  const words = useWords().work.tool;
  const { rest, texts } = useMemo(() => splitArguments(tool, json), [tool, json]);
  return (
    <>
      {rest !== null && <Pre text={pretty(rest)} label={words.arguments} json />}
      {texts.map(({ name, text, language }) => (
        <div key={name} className="text-argument">
          <p className="subhead">
            <code>{visible(name)}</code>
            {language && <span className="tag">{language}</span>}
          </p>
          <Pre text={visible(text)} label={name} language={language} copy={words.copyArgument} />
        </div>
      ))}
    </>
  );
}
