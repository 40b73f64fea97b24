/** Placeholder of erased content, with the person and the time. */
import type { Redaction } from "../../protocol";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "./Icon";
import { actorName } from "../names";

export function RedactedMark({ mark }: { mark: Redaction }) {
  const words = useWords();
  const format = useFormat();
  return (
    <p className="redacted soft" data-testid="redacted">
      <Icon name="eraser" size={14} /> {words.redaction.by(actorName(mark.by, words), format.full(mark.at))}
    </p>
  );
}
