/** The plan that people are asked about. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { PlanView } from "../work/PlanView";

export function PlanSubject({ session }: { session: SessionId }) {
  const plan = useSession(session, (state) => state.run?.plan);
  if (!plan) return null;
  return (
    <div className="dock-subject">
      <PlanView session={session} plan={plan} />
    </div>
  );
}
