/** Labeled select field. */
interface Props<T extends string> {
  label: string;
  name: string;
  value: T;
  /** Values with their labels, in order. */
  options: (readonly [T, string])[];
  hint?: string;
  onChange: (value: T) => void;
}

export function SelectField<T extends string>({ label, name, value, options, hint, onChange }: Props<T>) {
  return (
    <label>
      <span>{label}</span>
      <select name={name} value={value} onChange={(event) => onChange(event.target.value as T)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {hint && <small>{hint}</small>}
    </label>
  );
}
