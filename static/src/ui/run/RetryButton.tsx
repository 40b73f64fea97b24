/** Retry of a failed run. */
import type { SessionId, RunId } from "../../protocol";
import { retryCommand, isRetry } from "../../state/run";
import { failedInput } from "../../state/runSelectors";
import { useClient, useLive, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { KeyHint } from "../components/KeyHint";
import { CommandError } from "../components/ErrorNotice";
import { onDemand } from "../components/onDemand";

const RetryCost = onDemand(() => import("./DecisionCost").then((part) => part.RetryCost));

/**
 * Returns a function that retries the failed run with the same text and files, for the same agents. Returns
 * null if no run has failed, if a retry is in progress, or without a session or a connection.
 */
export function useRetryRun(session: SessionId | null): (() => void) | null {
  const client = useClient();
  const live = useLive();
  const input = useSession(session ?? "", failedInput);
  const isRetrying = useSession(session ?? "", (state) => state.pending.some(isRetry));
  const team = useSession(session ?? "", (state) => state.team);
  if (!session || !live || !input || isRetrying) return null;
  return () => client.startRun(session, retryCommand({ team }, input));
}

/** Retry button next to the failure of a run, and the reason if the retry was rejected. */
export function RetryButton({ session, run }: { session: SessionId; run: RunId }) {
  const texts = useTexts().control;
  const live = useLive();
  const newest = useSession(session, (state) => state.run?.id === run && !!failedInput(state));
  const failed = useSession(session, (state) =>
    state.pending.filter((one) => one.command.do === "start" && one.error),
  );
  const again = useRetryRun(session);
  if (!newest) return null;
  return (
    <div className="try-again">
      <button
        type="button"
        className="small"
        aria-keyshortcuts="Alt+T"
        aria-describedby="retry-cost"
        disabled={!live || !again}
        onClick={(event) => {
          // The button disappears together with the failure, so the focus moves to the conversation.
          event.currentTarget.closest<HTMLElement>(".timeline")?.focus({ preventScroll: true });
          again?.();
        }}
      >
        <Icon name="undo" size={14} /> {texts.again} <KeyHint alt="t" />
      </button>
      <RetryCost session={session} id="retry-cost" />
      {failed.map((one) => (
        <CommandError key={one.command.id} session={session} pending={one} />
      ))}
    </div>
  );
}
