/** Approval rules of a session, one per line. Loaded only if a session has approval rules. */
import type { ApprovalRule } from "../../protocol";
import { useFormat, useTexts } from "../../i18n/locale";
import { useSourceTexts } from "../../i18n/sources.en";
import { ruleText } from "./ruleText";

export function RuleList({ rules }: { rules: ApprovalRule[] }) {
  const texts = useTexts();
  const sources = useSourceTexts();
  const format = useFormat();
  return (
    <ol className="soft">
      {rules.map((rule, at) => (
        <li key={at}>{ruleText(rule, texts, sources, format)}</li>
      ))}
    </ol>
  );
}
