/** The way to take something out for good, for those who may. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { canRedact } from "../../state/selectors";
import { useSession } from "../../app/hooks";
import type { RedactionTarget } from "../../wire/redaction";
import { IconButton } from "../components/IconButton";
import { RedactDialog } from "./RedactDialog";

interface Props {
  session: SessionId;
  target: RedactionTarget;
  label: string;
  word?: string;
}

export function RedactButton({ session, target, label, word }: Props) {
  const allowed = useSession(session, canRedact);
  const [open, setOpen] = useState(false);
  if (!allowed) return null;
  return (
    <>
      <IconButton icon="eraser" label={label} word={word} act={() => setOpen(true)} />
      {open && <RedactDialog session={session} target={target} onClose={() => setOpen(false)} />}
    </>
  );
}
