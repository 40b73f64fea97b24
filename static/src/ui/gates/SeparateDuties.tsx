/** Notice at a gate that the people who had a part in the subject cannot approve it. */
import type { Gate, SessionId } from "../../protocol";
import { ownExclusion } from "../../state/voters";
import { useMe, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";

/** Returns the id of the notice, which describes the disabled button. */
export function dutiesId(gate: Gate): string {
  return `duties-${gate.id}`;
}

/** Returns whether I cannot approve because I had a part in the subject. */
export function useIsExcluded(session: SessionId, gate: Gate): boolean {
  const me = useMe();
  return useSession(session, (state) => ownExclusion(gate, state, me) !== null);
}

export function SeparateDuties({ session, gate }: { session: SessionId; gate: Gate }) {
  const texts = useTexts().approval;
  const me = useMe();
  const exclusion = useSession(session, (state) => ownExclusion(gate, state, me));
  if (!gate.separate_duties && !exclusion) return null;
  const text = { request: texts.ownRequest, part: texts.excluded, guest: texts.guestExcluded };
  return (
    <p className={exclusion ? "dock-missing" : "tally"} id={dutiesId(gate)} data-testid="duties">
      <Icon name={exclusion ? "ban" : "people"} size={14} /> {exclusion ? text[exclusion] : texts.separate}
    </p>
  );
}
