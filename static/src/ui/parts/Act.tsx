/** A small button that is a drawing, with its name for those who do not see it or do not know it. */
import { Icon, type IconName } from "./Icon";

interface Props {
  icon: IconName;
  label: string;
  act: () => void;
  busy?: boolean;
}

export function Act({ icon, label, act, busy }: Props) {
  return (
    <button
      type="button"
      className="quiet square small"
      aria-label={label}
      title={label}
      disabled={busy}
      onClick={act}
    >
      <Icon name={icon} size={14} />
    </button>
  );
}
