/** Beside the failure of a run: the way to begin it again, and why that was refused. */
import type { RunId, SessionId } from "../../protocol";
import { failedInput } from "../../state/ask";
import { useLive, useSession } from "../../app/hooks";
import { useAgain } from "../../app/useAgain";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { Key } from "../parts/Key";
import { RefusedCommand } from "./RefusedCommand";

export function TryAgain({ session, run }: { session: SessionId; run: RunId }) {
  const words = useWords().control;
  const live = useLive();
  const newest = useSession(session, (state) => state.run?.id === run && !!failedInput(state));
  const refused = useSession(session, (state) =>
    state.pending.filter((one) => one.command.do === "start" && one.refused),
  );
  const again = useAgain(session);
  if (!newest) return null;
  return (
    <div className="try-again">
      <button
        type="button"
        className="small"
        aria-keyshortcuts="Alt+T"
        disabled={!live || !again}
        onClick={(event) => {
          // The button goes with the failure; whoever pressed it stays in the conversation.
          event.currentTarget.closest<HTMLElement>(".timeline")?.focus({ preventScroll: true });
          again?.();
        }}
      >
        <Icon name="undo" size={14} /> {words.again} <Key alt="t" />
      </button>
      {refused.map((one) => (
        <RefusedCommand key={one.command.id} session={session} pending={one} />
      ))}
    </div>
  );
}
