/** Fields of a quorum: its kind, and the required number of approvals or the required role. */
import type { Quorum } from "../../protocol";
import { useTexts } from "../../i18n/locale";
import { WEIGHTED } from "../gates/weightsText";
import { useVoteFormTexts } from "../../i18n/voteForms.en";
import { NumberField } from "./NumberField";
import { VOTERS, type QuorumDraft } from "./quorumDraft";
import { SelectField } from "./SelectField";

interface Props {
  value: QuorumDraft;
  hint?: string;
  onChange: (value: QuorumDraft) => void;
}

export function QuorumFields({ value, hint, onChange }: Props) {
  const { roles, manage, approval } = useTexts();
  const texts = manage.settings;
  const set = (changes: Partial<QuorumDraft>) => onChange({ ...value, ...changes });
  const voters = VOTERS.map((role) => [role, roles[role]] as const);
  return (
    <>
      <SelectField
        name="quorum"
        label={texts.rule}
        value={value.kind}
        options={Object.entries(texts.names) as [Quorum["kind"], string][]}
        hint={hint}
        onChange={(kind) => set({ kind })}
      />
      {value.kind === "at_least" && (
        <div className="two">
          <NumberField label={texts.n} value={value.n} range={[1, 100]} onChange={(n) => set({ n })} />
          <SelectField
            name="only"
            label={approval.onlyRole}
            value={value.only}
            options={[["", approval.everyone], ...voters]}
            onChange={(only) => set({ only })}
          />
        </div>
      )}
      {value.kind === "weighted" && <WeightFields value={value} onChange={onChange} />}
      {value.kind === "role" && (
        <SelectField
          name="role"
          label={texts.role}
          value={value.role}
          options={voters}
          onChange={(role) => set({ role })}
        />
      )}
    </>
  );
}

/** Weights of the roles, and the sum that decides. */
function WeightFields({ value, onChange }: Pick<Props, "value" | "onChange">) {
  const { roles } = useTexts();
  const texts = useVoteFormTexts().rules;
  const { weights } = value;
  return (
    <>
      <NumberField
        label={texts.sum}
        value={value.n}
        range={[1, 10_000]}
        onChange={(n) => onChange({ ...value, n })}
      />
      <div className="weights">
        {WEIGHTED.map((role) => (
          <NumberField
            key={role}
            label={texts.weightOf(roles[role])}
            value={weights[role]}
            range={[0, 100]}
            onChange={(weight) => onChange({ ...value, weights: { ...weights, [role]: weight } })}
          />
        ))}
      </div>
    </>
  );
}
