/** The conversation, onto which files may be dropped to come with what is being written. */
import type { ReactNode } from "react";
import type { SessionId } from "../../protocol";
import { hasRight } from "../../state/selectors";
import { useSession } from "../../app/hooks";
import { selectFiles } from "../../app/selectedFiles";
import { useWords } from "../../i18n/locale";
import { focusComposer } from "../composer/focusComposer";
import { DropZone } from "./DropZone";

export function ConversationDropZone({ session, children }: { session: SessionId; children: ReactNode }) {
  const words = useWords().files;
  const speaks = useSession(session, (state) => hasRight(state, "say"));
  return (
    <DropZone
      takes={speaks}
      title={words.drop}
      means={words.dropMeans}
      onDrop={(files) => {
        selectFiles(session, files);
        focusComposer();
      }}
    >
      {children}
    </DropZone>
  );
}
