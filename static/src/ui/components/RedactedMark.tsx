/** Placeholder for erased content, with the time and the person who erased it. */
import type { Redaction } from "../../protocol";
import { useFormat, useTexts } from "../../i18n/locale";
import { Icon } from "./Icon";
import { actorName } from "../names";

export function RedactedMark({ mark }: { mark: Redaction }) {
  const texts = useTexts();
  const format = useFormat();
  return (
    <p className="redacted soft" data-testid="redacted">
      <Icon name="eraser" size={14} /> {texts.redaction.by(actorName(mark.by, texts), format.full(mark.at))}
    </p>
  );
}
