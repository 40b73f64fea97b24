/** Search field: Alt+S focuses it, and Esc clears and leaves it. */
import type { Ref } from "react";
import { Icon } from "./Icon";
import { KeyHint } from "./KeyHint";

interface Props {
  ref: Ref<HTMLInputElement>;
  label: string;
  /** Placeholder, if it differs from the label. */
  hint?: string;
  /** Maximum number of characters. */
  maxLength?: number;
  /** Id of the list of results. */
  controls?: string;
  text: string;
  onText: (text: string) => void;
}

export function SearchField({ ref, label, hint = label, maxLength, controls, text, onText }: Props) {
  return (
    <label className="search">
      <Icon name="search" size={14} />
      <input
        ref={ref}
        type="search"
        value={text}
        maxLength={maxLength}
        placeholder={hint}
        aria-label={label}
        aria-keyshortcuts="Alt+S"
        aria-controls={controls}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // If there is a query, Esc applies to the search, otherwise to the run.
          if (text) event.preventDefault();
          onText("");
          event.currentTarget.blur();
        }}
      />
      {/* If there is something to clear, the browser shows its own button here. */}
      {!text && <KeyHint alt="s" />}
    </label>
  );
}
