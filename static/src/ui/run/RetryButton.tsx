/** Beside the failure of a run: the way to begin it again, and why that was refused. */
import type { RunId, SessionId } from "../../protocol";
import { failedInput } from "../../state/selectors";
import { useLive, useSession } from "../../app/hooks";
import { useRetryRun } from "../../app/useRetryRun";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { KeyHint } from "../components/KeyHint";
import { RefusedCommand } from "./RefusedCommand";

export function RetryButton({ session, run }: { session: SessionId; run: RunId }) {
  const words = useWords().control;
  const live = useLive();
  const newest = useSession(session, (state) => state.run?.id === run && !!failedInput(state));
  const refused = useSession(session, (state) =>
    state.pending.filter((one) => one.command.do === "start" && one.refused),
  );
  const again = useRetryRun(session);
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
        <Icon name="undo" size={14} /> {words.again} <KeyHint alt="t" />
      </button>
      {refused.map((one) => (
        <RefusedCommand key={one.command.id} session={session} pending={one} />
      ))}
    </div>
  );
}
