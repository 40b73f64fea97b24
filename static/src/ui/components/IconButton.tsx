/** A small button that is a drawing, with its name for those who do not see it or do not know it. */
import { Icon, type IconName } from "./Icon";

interface Props {
  icon: IconName;
  label: string;
  /** What is written beside the drawing, where there is room for it. */
  word?: string;
  /** Null where there is nothing more to do with it: it keeps the focus, so that a step moved to the end does. */
  act: (() => void) | null;
  busy?: boolean;
}

export function IconButton({ icon, label, word, act, busy }: Props) {
  return (
    <button
      type="button"
      className={word ? "quiet small" : "quiet square small"}
      aria-label={label}
      title={label}
      disabled={busy}
      aria-disabled={!act || undefined}
      onClick={() => act?.()}
    >
      <Icon name={icon} size={14} /> {word && <span className="act-word">{word}</span>}
    </button>
  );
}
