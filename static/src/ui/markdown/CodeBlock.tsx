/** Code block with its language and a copy button. A long block is collapsed. */
import { useState, type ReactNode } from "react";
import { useTexts } from "../../i18n/locale";
import { CopyButton } from "../components/CopyButton";

/** Number of lines above which a block is collapsed. */
const FOLD_LINES = 40;

interface Props {
  text: string;
  lang?: string;
  children: ReactNode;
}

export function CodeBlock({ text, lang, children }: Props) {
  const texts = useTexts().timeline;
  const [open, setOpen] = useState(false);
  const lines = text.split("\n").length;
  const folds = lines > FOLD_LINES;
  return (
    <div className={folds && !open ? "block code-block folded" : "block code-block"}>
      <p className="code-head">
        <span>{lang?.split(/\s/)[0] || texts.code}</span>
        <CopyButton text={text} className="quiet small" />
      </p>
      {children}
      {folds && (
        <button type="button" className="quiet small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? texts.foldCode : texts.unfoldCode(lines)}
        </button>
      )}
    </div>
  );
}
