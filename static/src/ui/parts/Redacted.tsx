/** Stands where content was erased: who did it, and when. */
import type { Redaction } from "../../protocol";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "./Icon";
import { who } from "./who";

export function Redacted({ mark }: { mark: Redaction }) {
  const words = useWords();
  const format = useFormat();
  return (
    <p className="redacted soft" data-testid="redacted">
      <Icon name="eraser" size={14} /> {words.redaction.by(who(mark.by, words), format.full(mark.at))}
    </p>
  );
}
