/** What an edit changes in the arguments of a call: texts line by line, and the rest as JSON. */
import { useMemo } from "react";
import { splitArguments } from "../calls/splitArguments";
import { sortKeysLike } from "../../json/jsonText";
import { escapeHidden } from "../../text/hiddenCharacters";
import { TextDiff } from "./TextDiff";

interface Props {
  tool: string;
  before: string;
  after: string;
}

export function ArgumentsDiff({ tool, before, after }: Props) {
  // While the JSON is half written it is shown as it stands.
  const [old, now] = useMemo(() => {
    const split = (json: string) => splitArguments(tool, sortKeysLike(before, json));
    return [split(before), split(after)] as const;
  }, [tool, before, after]);
  const names = [...new Set([...old.texts, ...now.texts].map(({ name }) => name))];
  const textIn = ({ texts }: typeof old, name: string) =>
    escapeHidden(texts.find((one) => one.name === name)?.text ?? "");
  const changed = names.filter((name) => textIn(old, name) !== textIn(now, name));
  const [rest, next] = [old.rest ?? "{}", now.rest ?? "{}"];
  return (
    <>
      {(rest !== next || changed.length === 0) && <TextDiff before={rest} after={next} json />}
      {changed.map((name) => (
        <TextDiff key={name} name={name} before={textIn(old, name)} after={textIn(now, name)} />
      ))}
    </>
  );
}
