/** Field for the model that all agents of a session use. */
import { useApp } from "../../app/hooks";
import { useBudgetTexts } from "../../i18n/budget.en";

interface Props {
  /** Name of the model. Empty means the models of the team. */
  value: string;
  onChange: (value: string) => void;
}

export function ModelField({ value, onChange }: Props) {
  const { fields } = useBudgetTexts();
  const models = useApp((app) => app.server?.models);
  const names = models?.map(({ name }) => name) ?? [];
  // A model that the server no longer lists stays visible, so that another one can be chosen.
  const shown = value && !names.includes(value) ? [value, ...names] : names;
  return (
    <label>
      <span>{fields.model}</span>
      <select name="model" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{fields.teamModel}</option>
        {shown.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <small>{fields.modelMeans}</small>
    </label>
  );
}
