/** Editor of the approval rules: an ordered list, of which the first matching rule counts. */
import { useEffect, useRef, useState } from "react";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { MAX_RULES, newRule, type ApprovalRuleDraft } from "./approvalRuleDraft";
import { ApprovalRuleFields } from "./ApprovalRuleFields";

interface Props {
  rules: ApprovalRuleDraft[];
  onChange: (rules: ApprovalRuleDraft[]) => void;
}

export function ApprovalRules({ rules, onChange }: Props) {
  const words = useWords().approval.rules;
  const [said, setSaid] = useState("");
  const box = useRef<HTMLFieldSetElement>(null);
  // After a removal or an addition, the focus moves to the rule that is now in that position, or to the add button.
  const [wanted, setWanted] = useState<number | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    const row = box.current?.querySelectorAll(".approval-rule")[wanted];
    (
      row?.querySelector<HTMLElement>("select") ?? box.current?.querySelector<HTMLElement>(".add-rule")
    )?.focus();
    setWanted(null);
  }, [wanted]);

  const set = (at: number, rule: ApprovalRuleDraft) =>
    onChange(rules.map((other, i) => (i === at ? rule : other)));
  const move = (at: number, by: 1 | -1) => {
    const next = [...rules];
    next.splice(at + by, 0, ...next.splice(at, 1));
    onChange(next);
    setSaid(words.moved(at + 1, at + by + 1));
  };
  const remove = (at: number) => {
    onChange(rules.filter((_, i) => i !== at));
    setSaid(words.removed(at + 1));
    setWanted(Math.min(at, rules.length - 2));
  };
  const add = () => {
    onChange([...rules, newRule(rules)]);
    setWanted(rules.length);
  };
  const full = rules.length >= MAX_RULES;
  return (
    <fieldset className="approval-rules" ref={box} aria-describedby="approval-rules-hint">
      <legend>{words.title}</legend>
      <small id="approval-rules-hint">{words.means}</small>
      {rules.map((rule, at) => (
        <ApprovalRuleFields
          key={rule.key}
          number={at + 1}
          rule={rule}
          onChange={(next) => set(at, next)}
          onUp={at > 0 ? () => move(at, -1) : null}
          onDown={at < rules.length - 1 ? () => move(at, 1) : null}
          onRemove={() => remove(at)}
        />
      ))}
      <p className="hidden" role="status">
        {said}
      </p>
      <button type="button" className="small add-rule" disabled={full} onClick={add}>
        <Icon name="plus" size={14} /> {words.add}
      </button>
      {full && <small>{words.full(MAX_RULES)}</small>}
    </fieldset>
  );
}
