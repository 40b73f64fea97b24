/** The conversation, onto which files may be dropped to come with what is being written. */
import type { ReactNode } from "react";
import type { SessionId } from "../../protocol";
import { may } from "../../state/ask";
import { useSession } from "../../app/hooks";
import { choose } from "../../app/chosen";
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
        choose(session, files);
        focusComposer();
      }}
    >
      {children}
    </DropZone>
  );
}
