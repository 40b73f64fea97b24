/** Status of the connection: live, catching up, offline since, read-only. */
import { useEffect, useState } from "react";
import type { SessionId } from "../../protocol";
import { eventsBehind } from "../../state/sessionList";
import { canWrite } from "../../state/participants";
import { useApp, useClient, useNow, useSession, useServerDelay } from "../../app/hooks";
import { navigate } from "../../app/route";
import { useFormat, useTexts } from "../../i18n/locale";
import { agentName } from "../names";
import { Icon } from "../components/Icon";

export function ConnectionStatus({ session }: { session: SessionId | null }) {
  const texts = useTexts();
  const format = useFormat();
  const connection = useApp((app) => app.connection);
  const delay = useServerDelay();
  const state = useSession(session ?? "", (one) => ({
    behind: eventsBehind(one),
    // A session that I cannot see, or can no longer see, cannot be behind.
    caughtUp: one.caughtUp || !!one.problem || !!one.ended,
    loaded: one.loaded,
    readOnly: one.loaded && !canWrite(one),
    closed: one.closed,
    ended: one.ended?.code,
  }));
  if (connection.phase === "offline") {
    return (
      <span className="link offline" role="status" data-connection="offline">
        <Icon name="offline" size={14} /> {texts.connection.offline(format.time(connection.since))}
      </span>
    );
  }
  if (connection.phase === "refused") {
    return (
      <span className="link offline" role="status" data-connection="refused">
        <Icon name="ban" size={14} /> {texts.connection.refused}
      </span>
    );
  }
  if (session && state.ended) {
    const { out } = texts.connection;
    return (
      <span className="link offline" role="status" data-connection="out">
        <Icon name="ban" size={14} />{" "}
        {state.ended === "removed" || state.ended === "left" ? out[state.ended] : out.other}
      </span>
    );
  }
  if (connection.phase === "connecting" || (session && !state.caughtUp)) {
    return (
      <span className="link catching" role="status" data-connection="catching">
        <Icon name="live" size={14} />
        {connection.phase === "live" && state.behind > 0
          ? texts.connection.catching(state.behind)
          : texts.connection.connecting}
      </span>
    );
  }
  if (delay) {
    return (
      <span className="link catching" role="status" data-connection="held">
        <Icon name="hourglass" size={14} /> {delay.store ? texts.connection.unsaved : texts.connection.slow}
      </span>
    );
  }
  return (
    <span className="link live" role="status" data-connection="live">
      <Icon name="live" size={14} /> {texts.connection.live}
      {session && state.readOnly && (
        <span className="tag" title={state.closed ? texts.connection.closed : texts.connection.readOnlyWhy}>
          <Icon name="eye" size={12} /> {texts.connection.readOnly}
        </span>
      )}
    </span>
  );
}

/** Notice above the composer that explains being offline, and later where the page resumed. */
export function ConnectionNotice({ session }: { session: SessionId }) {
  const texts = useTexts();
  const client = useClient();
  const connection = useApp((app) => app.connection);
  const offline = connection.phase === "offline";
  const now = useNow(1000, offline);
  if (connection.phase === "refused") {
    return (
      <div className="notice bad" role="alert">
        <span>
          {texts.connection.refused} {connection.reason}
        </span>
        <button type="button" onClick={() => navigate("/sign-in")}>
          {texts.connection.signIn}
        </button>
      </div>
    );
  }
  if (offline) {
    const seconds = connection.retryAt ? Math.ceil((connection.retryAt - now) / 1000) : 0;
    return (
      <div className="notice warn" data-testid="offline">
        <Icon name="offline" size={14} />
        <span>{texts.connection.kept}</span>
        <span className="soft">{texts.connection.retryIn(seconds)}</span>
        <button type="button" className="small" onClick={client.connection.retryNow}>
          {texts.connection.retry}
        </button>
      </div>
    );
  }
  return (
    <>
      <ServerDelayNotice />
      <LivenessNotice session={session} />
      <ResumedNotice session={session} />
      <EndedNotice session={session} />
    </>
  );
}

/**
 * Notice that the server responds but does not accept commands, with the reason. Nothing needs to be sent
 * again.
 */
function ServerDelayNotice() {
  const texts = useTexts();
  const delay = useServerDelay();
  if (!delay) return null;
  return (
    <div className="notice warn" role="status" data-testid="held">
      <Icon name="hourglass" size={14} />
      <span>{delay.store ? texts.connection.unsavedMeans : texts.connection.slowMeans}</span>
      <span className="soft">{texts.connection.forSeconds(delay.seconds)}</span>
    </div>
  );
}

/** Milliseconds for which the notice of a successful resumption is shown. */
const RESUMED_NOTICE_MS = 8000;

function ResumedNotice({ session }: { session: SessionId }) {
  const texts = useTexts();
  const resumed = useSession(session, (state) => (state.caughtUp ? state.resumed : null));
  const team = useSession(session, (state) => state.team);
  const format = useFormat();
  const [read, setRead] = useState<number | null>(null);
  useEffect(() => {
    if (!resumed) return;
    const timer = setTimeout(() => setRead(resumed.at), RESUMED_NOTICE_MS);
    return () => clearTimeout(timer);
  }, [resumed]);
  if (!resumed || read === resumed.at) return null;
  const rewriting = resumed.rewriting.map((agent) => agentName({ team }, agent));
  return (
    <div className="notice good" role="status" data-testid="resumed">
      <Icon name="check" size={14} />
      <span>
        {texts.connection.resumed(Math.max(0, resumed.through - resumed.from))}{" "}
        {rewriting.length > 0 && texts.connection.rewriting(format.list(rewriting))}
      </span>
    </div>
  );
}

/** Notice that the nodes of the server cannot reach each other: nothing is lost, but text is not live. */
function LivenessNotice({ session }: { session: SessionId }) {
  const texts = useTexts();
  const liveness = useSession(session, (state) => state.liveness);
  if (!liveness) return null;
  return (
    <div className="notice warn" role="status" data-testid="late">
      <Icon name="live" size={14} />
      <span>{texts.connection.late(liveness.delay_ms)}</span>
    </div>
  );
}

function EndedNotice({ session }: { session: SessionId }) {
  const texts = useTexts();
  const state = useSession(session, ({ ended, closed, loaded, rights, requestableRights }) => ({
    ended,
    closed,
    loaded,
    rights,
    requestableRights,
  }));
  if (state.ended) {
    const { code, message } = state.ended;
    const reason = texts.connection.ended;
    return (
      <div className="notice bad" role="alert">
        <Icon name="ban" size={14} />
        <span>{code === "removed" || code === "left" ? reason[code] : reason.other(message)}</span>
      </div>
    );
  }
  if (!state.loaded) return null;
  if (state.closed) return <ReadOnlyNotice reason={texts.connection.closed} />;
  return canWrite(state) ? null : <ReadOnlyNotice reason={texts.connection.readOnlyWhy} />;
}

function ReadOnlyNotice({ reason }: { reason: string }) {
  return (
    <div className="notice">
      <Icon name="eye" size={14} />
      <span>{reason}</span>
    </div>
  );
}
