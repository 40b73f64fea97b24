/** That an approval of mine was not sent, and why: beside the decisions of its session, or wherever I am by then. */
import type { SessionId } from "../../protocol";
import { useSession } from "../../app/hooks";
import { forgetUnsent, useUnsent, type Unsent } from "../../app/unsent";
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { PageLink } from "../parts/PageLink";

export function UnsentHere({ session }: { session: SessionId }) {
  const here = useUnsent().filter((one) => one.session === session);
  return here.map((one) => <Notice key={one.gate} unsent={one} />);
}

interface Props {
  /** The session that is on screen. */
  shown: SessionId | null;
  onPick: () => void;
}

export function UnsentElsewhere({ shown, onPick }: Props) {
  const elsewhere = useUnsent().filter((one) => one.session !== shown);
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
function Notice({ unsent, onPick }: { unsent: Unsent; onPick?: () => void }) {
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
      <button type="button" className="small" onClick={() => forgetUnsent(unsent)}>
        {words.common.dismiss}
      </button>
    </div>
  );
}
