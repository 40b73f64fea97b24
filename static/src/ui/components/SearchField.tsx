/** A field to search with: Alt with `s` leads to it, Esc empties and leaves it. */
import type { Ref } from "react";
import { Icon } from "./Icon";
import { KeyHint } from "./KeyHint";

interface Props {
  ref: Ref<HTMLInputElement>;
  label: string;
  /** What stands in it while it is empty, where that is not its label. */
  hint?: string;
  /** Characters that it takes at most. */
  most?: number;
  /** The id of the list of what it finds. */
  controls?: string;
  text: string;
  onText: (text: string) => void;
}

export function SearchField({ ref, label, hint = label, most, controls, text, onText }: Props) {
  return (
    <label className="search">
      <Icon name="search" size={14} />
      <input
        ref={ref}
        type="search"
        value={text}
        maxLength={most}
        placeholder={hint}
        aria-label={label}
        aria-keyshortcuts="Alt+S"
        aria-controls={controls}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // It means what is searched for; where nothing is, the run.
          if (text) event.preventDefault();
          onText("");
          event.currentTarget.blur();
        }}
      />
      {/* Where there is something to clear, the browser's own button for that stands here. */}
      {!text && <KeyHint alt="s" />}
    </label>
  );
}
