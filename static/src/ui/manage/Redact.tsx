/** The way to take something out for good, for those who may. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { mayRedact } from "../../state/ask";
import { useSession } from "../../app/hooks";
import type { RedactionTarget } from "../../wire/redaction";
import { Act } from "../parts/Act";
import { RedactDialog } from "./RedactDialog";

interface Props {
  session: SessionId;
  target: RedactionTarget;
  label: string;
  word?: string;
}

export function Redact({ session, target, label, word }: Props) {
  const allowed = useSession(session, mayRedact);
  const [open, setOpen] = useState(false);
  if (!allowed) return null;
  return (
    <>
      <Act icon="eraser" label={label} word={word} act={() => setOpen(true)} />
      {open && <RedactDialog session={session} target={target} onClose={() => setOpen(false)} />}
    </>
  );
}
