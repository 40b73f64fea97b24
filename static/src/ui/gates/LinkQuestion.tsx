/** A page that a server asks people to open: its host and all of its address first, and nothing before somebody agrees. */
import type { ReactNode } from "react";
import type { Gate, SessionId } from "../../protocol";
import type { SendState } from "../../app/gateDrafts";
import { useClient, useLive, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

interface Props {
  session: SessionId;
  gate: Gate;
  link: string;
  sent: SendState;
  /** Why it was refused. */
  children: ReactNode;
}

export function LinkQuestion({ session, gate, link, sent: { busy }, children }: Props) {
  const { question } = useWords().work.gates;
  const client = useClient();
  const live = useLive();
  const url = parseLink(link);
  const declines = useSession(
    session,
    (state) => gate.allow.includes("reject") && state.rights.includes("approve"),
  );
  const open = () => {
    if (!url) return;
    // The page learns neither where it was opened nor can it reach back.
    window.open(url.href, "_blank", "noopener,noreferrer");
    client.answer(session, gate, {});
  };
  return (
    <div className="question">
      <p>
        {question.host} <strong>{url?.host ?? "?"}</strong>
      </p>
      <p className="link-address">
        <code>{link}</code>
      </p>
      {children}
      <div className="dock-actions">
        <button
          type="button"
          className="primary"
          disabled={busy || !live || !url}
          title={question.openHint}
          onClick={open}
        >
          <Icon name="reply" />
          {busy ? question.sending : question.open}
        </button>
        {declines && (
          <button
            type="button"
            disabled={busy || !live}
            onClick={() => client.vote(session, gate, "reject")}
            title={question.declineHint}
          >
            {question.decline}
          </button>
        )}
      </div>
    </div>
  );
}

/** The address, if it is one of a page. Its host is in ASCII, so that no letter looks like another. */
export function parseLink(link: string): URL | null {
  const url = URL.canParse(link) ? new URL(link) : null;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url : null;
}
