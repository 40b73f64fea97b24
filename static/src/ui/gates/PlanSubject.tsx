/** The plan that people are asked about. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { PlanView } from "../plan/PlanView";

export function PlanSubject({ session }: { session: SessionId }) {
  const plan = useSession(session, (state) => state.run?.plan);
  const words = useWords().work.plan;
  if (!plan) return null;
  return (
    // What scrolls must be reachable with the keyboard.

    <div className="dock-subject" role="group" aria-label={words.tab} tabIndex={0}>
      <PlanView session={session} plan={plan} />
    </div>
  );
}
