/** Editor of the approval rules: an ordered list, in which the first matching rule applies. */
import { useEffect, useRef, useState } from "react";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { MAX_RULES, newRule, type ApprovalRuleDraft } from "./approvalRuleDraft";
import { ApprovalRuleFields } from "./ApprovalRuleFields";

interface Props {
  rules: ApprovalRuleDraft[];
  onChange: (rules: ApprovalRuleDraft[]) => void;
}

export function ApprovalRules({ rules, onChange }: Props) {
  const texts = useTexts().approval.rules;
  const [announcement, setAnnouncement] = useState("");
  const box = useRef<HTMLFieldSetElement>(null);
  // After a removal or an addition, the focus moves to the rule that is now in that position, or to the add
  // button.
  const [focusedRule, setFocusedRule] = useState<number | null>(null);
  useEffect(() => {
    if (focusedRule === null) return;
    const row = box.current?.querySelectorAll(".approval-rule")[focusedRule];
    (
      row?.querySelector<HTMLElement>("select") ?? box.current?.querySelector<HTMLElement>(".add-rule")
    )?.focus();
    setFocusedRule(null);
  }, [focusedRule]);

  const set = (at: number, rule: ApprovalRuleDraft) =>
    onChange(rules.map((other, i) => (i === at ? rule : other)));
  const move = (at: number, by: 1 | -1) => {
    const next = [...rules];
    next.splice(at + by, 0, ...next.splice(at, 1));
    onChange(next);
    setAnnouncement(texts.moved(at + 1, at + by + 1));
  };
  const remove = (at: number) => {
    onChange(rules.filter((_, i) => i !== at));
    setAnnouncement(texts.removed(at + 1));
    setFocusedRule(Math.min(at, rules.length - 2));
  };
  const add = () => {
    onChange([...rules, newRule(rules)]);
    setFocusedRule(rules.length);
  };
  const full = rules.length >= MAX_RULES;
  return (
    <fieldset className="approval-rules" ref={box} aria-describedby="approval-rules-hint">
      <legend>{texts.title}</legend>
      <small id="approval-rules-hint">{texts.means}</small>
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
        {announcement}
      </p>
      <button type="button" className="small add-rule" disabled={full} onClick={add}>
        <Icon name="plus" size={14} /> {texts.add}
      </button>
      {full && <small>{texts.full(MAX_RULES)}</small>}
    </fieldset>
  );
}
