/** That an approval of mine was not sent, and why: beside the decisions of its session, or wherever I am by then. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { removeUnsentApproval, useUnsentApprovals, type UnsentApproval } from "../../app/unsentApprovals";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";

export function UnsentApprovals({ session }: { session: SessionId }) {
  const here = useUnsentApprovals().filter((one) => one.session === session);
  return here.map((one) => <Notice key={one.gate} unsent={one} />);
}

interface Props {
  /** The session that is on screen. */
  shown: SessionId | null;
  onPick: () => void;
}

export function OtherUnsentApprovals({ shown, onPick }: Props) {
  const elsewhere = useUnsentApprovals().filter((one) => one.session !== shown);
  if (elsewhere.length === 0) return null;
  return (
    <div className="unsent-elsewhere">
      {elsewhere.map((one) => (
        <Notice key={`${one.session} ${one.gate}`} unsent={one} onPick={onPick} />
      ))}
    </div>
  );
}

/** With `onPick` it leads to the session. */
function Notice({ unsent, onPick }: { unsent: UnsentApproval; onPick?: () => void }) {
  const words = useWords();
  const title = useSession(unsent.session, (state) => state.title);
  return (
    <div className="notice warn" role="alert" data-testid="unsent">
      <Icon name="warning" size={14} />
      <span>
        {words.gate.unsent} {words.gate.unsentReasons[unsent.reason]}
      </span>
      {onPick && (
        <PageLink className="button small" to={`/s/${unsent.session}`} onPick={onPick}>
          {title || words.sidebar.untitled}
        </PageLink>
      )}
      <button type="button" className="small" onClick={() => removeUnsentApproval(unsent)}>
        {words.common.dismiss}
      </button>
    </div>
  );
}
