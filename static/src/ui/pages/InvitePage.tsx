/** `/invite#secret`: shows the invitation, asks for a name, and joins. If an owner must approve, it waits. */
import { useEffect, useState } from "react";
import { rest, type InvitePreview } from "../../wire/rest";
import { navigate } from "../../app/route";
import { readStorage, writeStorage } from "../../app/storage";
import { useRequest } from "../../app/requests";
import { wasSignedIn, fetchCurrentUser } from "../../app/currentUser";
import { isBlank } from "../../text/hiddenCharacters";
import { MAX_NAME_LENGTH } from "../../text/limits";
import { useTexts } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";
import { PageLink } from "../components/PageLink";
import { Card } from "./PageLayout";
import type { SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { manage, type KnockState } from "../../wire/manage";
import { Icon } from "../components/Icon";
import { onDemand } from "../components/onDemand";

const ProviderSignIn = onDemand(() => import("./ProviderSignIn").then((part) => part.ProviderSignIn));

/**
 * Key under which the tab stores the invitation's secret during sign-in at the provider, which must not learn
 * it.
 */
const STORAGE_KEY = "roundtable-invite";

/** `/invite#secret`: shows the invitation, asks for a name, and joins. */
export function InvitePage({ secret: linkSecret, onDone }: { secret: string; onDone: () => void }) {
  const texts = useTexts();
  const [storedSecret] = useState(() => sessionStorage.getItem(STORAGE_KEY));
  const secret = linkSecret || (storedSecret ?? "");
  useEffect(() => sessionStorage.removeItem(STORAGE_KEY), []);
  const [preview, fetchPreview] = useRequest<InvitePreview>();
  const [accepting, accept] = useRequest<{ session: string }>();
  const [name, setName] = useState(() => readStorage<string>("name") ?? "");
  const [known, setKnown] = useState<string | null>(null);
  useEffect(() => {
    if (!secret) return;
    void fetchPreview(() => rest.previewInvite(secret));
    // A signed-in participant joins under their own name.
    if (storedSecret === null && !wasSignedIn()) return;
    void fetchCurrentUser().then(
      (me) => setKnown(me?.you.name ?? null),
      () => undefined,
    );
  }, [secret, storedSecret, fetchPreview]);
  const error = accepting.error ?? preview.error ?? (secret ? null : texts.join.missing);
  const shown = preview.data;
  const { ask, asking } = texts.invites.knock;
  const [submit, busy] = shown?.knock ? [ask, asking] : [texts.join.accept, texts.join.accepting];
  return (
    <Card title={error && !shown ? texts.join.failed : texts.join.title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const chosenName = (known ?? name).trim();
          writeStorage("name", chosenName);
          void accept(() => rest.acceptInvite(secret, chosenName)).then((done) => {
            if (!done) return;
            onDone();
            navigate(`/s/${done.session}`, "replace");
          });
        }}
      >
        {shown && (
          <p className="lead">
            {shown.title === undefined
              ? texts.join.toSession
              : texts.join.to(shown.title || texts.sidebar.untitled)}
            <small>
              {[shown.invited_by && texts.join.by(shown.invited_by), texts.join.as(texts.roles[shown.role])]
                .filter(Boolean)
                .join(" · ")}
            </small>
          </p>
        )}
        {error && <ErrorNotice>{error}</ErrorNotice>}
        {error && wasSignedIn() && (
          <PageLink to="/" className="button">
            {texts.join.instead}
          </PageLink>
        )}
        {shown && (
          <>
            {known === null ? (
              <label>
                <span>{texts.join.name}</span>
                <input
                  name="name"
                  autoComplete="name"
                  // There are no other inputs on this page.
                  // eslint-disable-next-line jsx-a11y/no-autofocus
                  autoFocus
                  required
                  maxLength={MAX_NAME_LENGTH}
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
                <small>{texts.join.nameHint}</small>
              </label>
            ) : (
              <p className="soft">{texts.join.known(known)}</p>
            )}
            {known === null && <ProviderSignIn onLeave={() => sessionStorage.setItem(STORAGE_KEY, secret)} />}
            {shown.knock && <p className="soft">{texts.invites.knock.askMeans}</p>}
            <button type="submit" className="primary" disabled={accepting.busy || isBlank(known ?? name)}>
              {accepting.busy ? busy : submit}
            </button>
          </>
        )}
      </form>
    </Card>
  );
}

/** Milliseconds between two requests for the state of a join request. */
const POLL_INTERVAL_MS = 2_000;

/** Returns the state of my join request; null if there is none, or if the state is not loaded yet. */
export function useKnock(session: SessionId | null): KnockState["state"] | null {
  const client = useClient();
  const [state, setState] = useState<KnockState["state"] | null>(null);
  useEffect(() => {
    if (!session) return;
    let isUnmounted = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const poll = async () => {
      const known = await manage.knock(session).catch((error: unknown) => error);
      if (isUnmounted) return;
      const next =
        known && typeof known === "object" && "state" in known ? (known as KnockState).state : null;
      setState((before) => next ?? before);
      if (next === "admitted") return client.rejoin(session);
      const isMissing = !!known && typeof known === "object" && "status" in known && known.status === 404;
      if (next !== "refused" && !isMissing) timer = setTimeout(() => void poll(), POLL_INTERVAL_MS);
    };
    void poll();
    return () => {
      isUnmounted = true;
      clearTimeout(timer);
    };
  }, [session, client]);
  return state;
}

/** Page of a person who asked to join the session, with the state of the request. */
export function WaitingRoom({ refused }: { refused: boolean }) {
  const { invites, unopened } = useTexts();
  const texts = invites.waiting;
  return (
    <>
      <Icon name={refused ? "ban" : "people"} size={36} />
      <h1>{refused ? texts.refusedTitle : texts.title}</h1>
      <p role="status">{refused ? texts.refused : texts.text}</p>
      <button type="button" className={refused ? "primary" : ""} onClick={() => navigate("/")}>
        {unopened.back}
      </button>
    </>
  );
}
