/** Approval rules of a session, one per line. Loaded only if a session has any. */
import type { ApprovalRule } from "../../protocol";
import { useFormat, useWords } from "../../i18n/locale";
import { useSourceWords } from "../../i18n/sources";
import { ruleText } from "./ruleText";

export function RuleList({ rules }: { rules: ApprovalRule[] }) {
  const words = useWords();
  const sources = useSourceWords();
  const format = useFormat();
  return (
    <ol className="soft">
      {rules.map((rule, at) => (
        <li key={at}>{ruleText(rule, words, sources, format)}</li>
      ))}
    </ol>
  );
}
