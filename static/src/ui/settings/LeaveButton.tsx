/** The way out of a session, for those who take part in it. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { canLeave } from "../../state/selectors";
import { useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { LeaveDialog } from "./LeaveDialog";

export function LeaveButton({ session }: { session: SessionId }) {
  const words = useWords().manage.leave;
  const me = useMe();
  const may = useSession(session, (state) => canLeave(state, me));
  const [asking, setAsking] = useState(false);
  return (
    <>
      {may && (
        <button type="button" className="quiet small leave" onClick={() => setAsking(true)}>
          <Icon name="leave" size={14} /> {words.name}
        </button>
      )}
      {may && asking && <LeaveDialog session={session} onClose={() => setAsking(false)} />}
    </>
  );
}
