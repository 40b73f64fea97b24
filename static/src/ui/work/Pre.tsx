/** A text of a machine: as it is, bounded, to be scrolled and copied. */
import { useState } from "react";
import { useWords } from "../../i18n/locale";
import { Copy } from "../parts/Copy";
import { Apart } from "./Apart";

/** Characters that are drawn until somebody wants all of them. */
const SHOWN = 4000;

interface Props {
  text: string;
  label: string;
  copy?: string;
  /** Its strings are to stand apart. */
  json?: boolean;
}

export function Pre({ text, label, copy, json }: Props) {
  const { tool } = useWords().work;
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > SHOWN;
  const shown = cut ? `${text.slice(0, SHOWN)}…` : text;
  return (
    <div className="pre">
      {/* What scrolls must be reachable with the keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {json ? <Apart text={shown} /> : shown}
      </pre>
      <div className="pre-acts">
        {cut && (
          <button type="button" className="quiet small" onClick={() => setWhole(true)}>
            {tool.whole}
          </button>
        )}
        {copy && <Copy text={text} label={copy} className="quiet small" />}
      </div>
    </div>
  );
}
