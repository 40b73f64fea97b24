/** What an edit changes in the arguments of a call: texts line by line, and the rest as JSON. */
import { useMemo } from "react";
import { splitArguments } from "../work/arguments";
import { inOrderOf } from "../work/json";
import { visible } from "../work/visible";
import { Changes } from "./Changes";

interface Props {
  tool: string;
  before: string;
  after: string;
}

export function ArgumentChanges({ tool, before, after }: Props) {
  // While the JSON is half written it is shown as it stands.
  const [old, now] = useMemo(() => {
    const split = (json: string) => splitArguments(tool, inOrderOf(before, json));
    return [split(before), split(after)] as const;
  }, [tool, before, after]);
  const names = [...new Set([...old.texts, ...now.texts].map(({ name }) => name))];
  const textIn = ({ texts }: typeof old, name: string) =>
    visible(texts.find((one) => one.name === name)?.text ?? "");
  const changed = names.filter((name) => textIn(old, name) !== textIn(now, name));
  const [rest, next] = [old.rest ?? "{}", now.rest ?? "{}"];
  return (
    <>
      {(rest !== next || changed.length === 0) && <Changes before={rest} after={next} json />}
      {changed.map((name) => (
        <Changes key={name} name={name} before={textIn(old, name)} after={textIn(now, name)} />
      ))}
    </>
  );
}
