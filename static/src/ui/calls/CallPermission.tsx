/** Risk of a call, and the standing permission under which it was made. */
import type { SessionId } from "../../protocol";
import type { CallTrace } from "../../state/calls";
import { permissionOf } from "../../state/standingPermissions";
import { useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { useGranterNames } from "../permissions/useGranterNames";
import { RiskBadge } from "./RiskBadge";
import { onDemand } from "../components/onDemand";

/** Sources of the call. Loaded on demand, because most readers never open them. */
export const CallSources = onDemand(() => import("./CallSources").then((part) => part.CallSources));

export function CallPermission({ session, call }: { session: SessionId; call: CallTrace }) {
  const { standingPermissions: texts } = useTexts();
  const permission = useSession(session, (state) => call.standing && permissionOf(state, call.standing));
  const names = useGranterNames(session, permission || undefined);
  return (
    <>
      <p className="tool-permission">
        {call.risk && <RiskBadge risk={call.risk} />}
        {call.standing && (
          <span>
            <Icon name="key" size={13} /> {names ? texts.made(names) : texts.madeUnknown}
          </span>
        )}
      </p>
      <CallSources session={session} call={call} />
    </>
  );
}
