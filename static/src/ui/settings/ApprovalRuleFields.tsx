/** Fields of one approval rule: the decisions that it applies to, and what they require. */
import { useId } from "react";
import type { CallSourceKind, GateKind, Risk } from "../../protocol";
import { useTexts } from "../../i18n/locale";
import { useSourceTexts } from "../../i18n/sources.en";
import { IconButton } from "../components/Icon";
import { hasRisk, type ApprovalRuleDraft } from "./approvalRuleDraft";
import { useVoteFormTexts } from "../../i18n/voteForms.en";
import { EscalationFields } from "./EscalationFields";
import { QuorumFields } from "./QuorumFields";
import { SelectField } from "./SelectField";
import "../../styles/sources.css";

/**
 * Kinds of decisions that a rule can apply to. Questions are not included, because they accept the first
 * answer under any rule.
 */
const KINDS: GateKind[] = ["feedback", "plan", "tool", "uncertain", "budget", "command"];
const RISKS: Risk[] = ["medium", "high"];
/** Sources that a rule can apply to, the most common ones first. */
const CAUSES: CallSourceKind[] = [
  "guest",
  "web",
  "tool",
  "file",
  "knowledge",
  "code",
  "bot",
  "agent",
  "person",
];

interface Props {
  number: number;
  rule: ApprovalRuleDraft;
  onChange: (rule: ApprovalRuleDraft) => void;
  /** Null if the rule cannot move up. */
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onRemove: () => void;
}

export function ApprovalRuleFields({ number, rule, onChange, onUp, onDown, onRemove }: Props) {
  const texts = useTexts().approval.rules;
  const sources = useSourceTexts();
  const voting = useVoteFormTexts().rules;
  const id = useId();
  const set = (changes: Partial<ApprovalRuleDraft>) => onChange({ ...rule, ...changes });
  return (
    <div className="approval-rule" role="group" aria-labelledby={id}>
      <div className="approval-rule-head">
        <strong id={id}>{texts.rule(number)}</strong>
        <span className="spring" />
        <IconButton icon="up" label={texts.up(number)} onClick={onUp} />
        <IconButton icon="down" label={texts.down(number)} onClick={onDown} />
        <IconButton icon="trash" label={texts.remove(number)} onClick={onRemove} />
      </div>
      <div className="two">
        <SelectField
          name="kind"
          label={texts.kind}
          value={rule.gate}
          options={[["", texts.anyKind], ...withCurrent(KINDS, rule.gate).map(optionIn(texts.kinds))]}
          onChange={(gate) => set({ gate })}
        />
        {hasRisk(rule.gate) && (
          <SelectField
            name="risk"
            label={texts.risk}
            value={rule.risk}
            options={[["", texts.anyRisk], ...withCurrent(RISKS, rule.risk).map(optionIn(texts.risks))]}
            onChange={(risk) => set({ risk })}
          />
        )}
      </div>
      {hasRisk(rule.gate) && (
        <fieldset className="rule-sources" aria-describedby={`${id}-sources`}>
          <legend>{sources.rule.title}</legend>
          {CAUSES.map((kind) => (
            <label key={kind} className="check">
              <input
                type="checkbox"
                name={`cause-${kind}`}
                checked={rule.causes.includes(kind)}
                onChange={() => set({ causes: toggled(rule.causes, kind) })}
              />
              <span>{sources.kinds[kind]}</span>
            </label>
          ))}
          <small id={`${id}-sources`}>{sources.rule.means}</small>
        </fieldset>
      )}
      <QuorumFields value={rule.quorum} onChange={(quorum) => set({ quorum })} />
      <label className="check">
        <input
          type="checkbox"
          name="separate"
          checked={rule.separate}
          onChange={(event) => set({ separate: event.target.checked })}
        />
        <span>
          {texts.separate}
          <small>{texts.separateMeans}</small>
        </span>
      </label>
      <label className="check">
        <input
          type="checkbox"
          name="held"
          checked={rule.commentsHold}
          onChange={(event) => set({ commentsHold: event.target.checked })}
        />
        <span>
          {voting.held}
          <small>{voting.heldMeans}</small>
        </span>
      </label>
      <label className="check">
        <input
          type="checkbox"
          name="bots"
          checked={rule.bots}
          onChange={(event) => set({ bots: event.target.checked })}
        />
        <span>
          {voting.bots}
          <small>{voting.botsMean}</small>
        </span>
      </label>
      <EscalationFields times={rule.times} onChange={(times) => set({ times })} />
    </div>
  );
}

/** Returns the kinds with this one added or removed. */
function toggled(kinds: CallSourceKind[], kind: CallSourceKind): CallSourceKind[] {
  return kinds.includes(kind) ? kinds.filter((other) => other !== kind) : [...kinds, kind];
}

/**
 * Returns the options, with the current value added if this form does not offer it, such as one set by a
 * program.
 */
function withCurrent<T extends string>(options: T[], current: T | ""): T[] {
  return current && !options.includes(current) ? [current, ...options] : options;
}

function optionIn<T extends string>(labels: Record<T, string>): (option: T) => readonly [T, string] {
  return (option) => [option, labels[option]];
}
