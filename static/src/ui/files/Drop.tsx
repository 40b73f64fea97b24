/** The conversation, onto which files may be dropped to come with what is being written. */
import type { ReactNode } from "react";
import type { SessionId } from "../../protocol";
import { may } from "../../state/ask";
import { useSession } from "../../app/hooks";
import { upload } from "../../app/uploads";
import { useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focus";
import { DropZone } from "./DropZone";

export function Drop({ session, children }: { session: SessionId; children: ReactNode }) {
  const words = useWords().files;
  const speaks = useSession(session, (state) => may(state, "say"));
  return (
    <DropZone
      takes={speaks}
      title={words.drop}
      means={words.dropMeans}
      onDrop={(files) => {
        upload(session, files, true);
        focusComposer();
      }}
    >
      {children}
    </DropZone>
  );
}
