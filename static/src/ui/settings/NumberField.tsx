/** Field for a required number within a range. */
interface Props {
  label: string;
  value: string;
  range: readonly [number, number];
  onChange: (value: string) => void;
}

export function NumberField({ label, value, range: [min, max], onChange }: Props) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        required
        min={min}
        max={max}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
