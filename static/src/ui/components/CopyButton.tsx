/** Button that copies text and confirms it. */
import { useEffect, useState } from "react";
import { useTexts } from "../../i18n/locale";
import { Icon } from "./Icon";

const COPIED_MS = 2000;

export function CopyButton({
  text,
  label,
  className = "quiet",
}: {
  text: string;
  label?: string;
  className?: string;
}) {
  const texts = useTexts();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <button type="button" className={className} onClick={() => void copyText(text).then(setDone)}>
      <Icon name={done ? "check" : "copy"} />
      <span>{done ? texts.common.copied : (label ?? texts.common.copy)}</span>
    </button>
  );
}

/**
 * Copies text and returns whether that succeeded. Without TLS, there is no clipboard API, so the text is
 * copied from a temporary text field.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
