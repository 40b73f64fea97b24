/** A text of a machine: as it is, bounded, to be scrolled and copied. */
import { useState } from "react";
import { useWords } from "../../i18n/locale";
import { Copy } from "../parts/Copy";

/** Characters that are drawn until somebody wants all of them. */
const SHOWN = 4000;

export function Pre({ text, label, copy }: { text: string; label: string; copy?: string }) {
  const { tool } = useWords().work;
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > SHOWN;
  return (
    <div className="pre">
      {/* What scrolls must be reachable with the keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={label}>
        {cut ? `${text.slice(0, SHOWN)}…` : text}
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
