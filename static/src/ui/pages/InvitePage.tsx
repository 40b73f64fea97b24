/** `/invite#secret`: shows the invitation, asks for a name, and joins. If an owner must approve, it waits. */
import { useEffect, useState } from "react";
import { rest, type InvitePreview } from "../../wire/rest";
import { navigate } from "../../app/route";
import { readStorage, writeStorage } from "../../app/storage";
import { useRequest } from "../../app/requests";
import { wasSignedIn, fetchCurrentUser } from "../../app/currentUser";
import { isBlank } from "../../text/hiddenCharacters";
import { MAX_NAME_LENGTH } from "../../text/limits";
import { useWords } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";
import { PageLink } from "../components/PageLink";
import { Card } from "./PageLayout";
import type { SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { manage, type KnockState } from "../../wire/manage";
import { Icon } from "../components/Icon";
import { onDemand } from "../components/onDemand";

const ProviderSignIn = onDemand(() => import("./ProviderSignIn").then((part) => part.ProviderSignIn));

/** Storage key of the invitation's secret in this tab during sign-in at the provider, which must not learn it. */
const KEPT = "roundtable-invite";

/** `/invite#secret`: shows the invitation, asks for a name, and joins. */
export function InvitePage({ secret: given, onDone }: { secret: string; onDone: () => void }) {
  const words = useWords();
  const [kept] = useState(() => sessionStorage.getItem(KEPT));
  const secret = given || (kept ?? "");
  useEffect(() => sessionStorage.removeItem(KEPT), []);
  const [preview, askPreview] = useRequest<InvitePreview>();
  const [accepting, accept] = useRequest<{ session: string }>();
  const [name, setName] = useState(() => readStorage<string>("name") ?? "");
  const [known, setKnown] = useState<string | null>(null);
  useEffect(() => {
    if (!secret) return;
    void askPreview(() => rest.previewInvite(secret));
    // A signed-in participant joins under their own name.
    if (kept === null && !wasSignedIn()) return;
    void fetchCurrentUser().then(
      (me) => setKnown(me?.you.name ?? null),
      () => undefined,
    );
  }, [secret, kept, askPreview]);
  const refusal = accepting.error ?? preview.error ?? (secret ? null : words.join.missing);
  const shown = preview.data;
  const { ask, asking } = words.access.knock;
  const [submit, busy] = shown?.knock ? [ask, asking] : [words.join.accept, words.join.accepting];
  return (
    <Card title={refusal && !shown ? words.join.failed : words.join.title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const said = (known ?? name).trim();
          writeStorage("name", said);
          void accept(() => rest.acceptInvite(secret, said)).then((done) => {
            if (!done) return;
            onDone();
            navigate(`/s/${done.session}`, "replace");
          });
        }}
      >
        {shown && (
          <p className="lead">
            {shown.title === undefined
              ? words.join.toSession
              : words.join.to(shown.title || words.sidebar.untitled)}
            <small>
              {[shown.invited_by && words.join.by(shown.invited_by), words.join.as(words.roles[shown.role])]
                .filter(Boolean)
                .join(" · ")}
            </small>
          </p>
        )}
        {refusal && <ErrorNotice>{refusal}</ErrorNotice>}
        {refusal && wasSignedIn() && (
          <PageLink to="/" className="button">
            {words.join.instead}
          </PageLink>
        )}
        {shown && (
          <>
            {known === null ? (
              <label>
                <span>{words.join.name}</span>
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
                <small>{words.join.nameHint}</small>
              </label>
            ) : (
              <p className="soft">{words.join.known(known)}</p>
            )}
            {known === null && <ProviderSignIn onLeave={() => sessionStorage.setItem(KEPT, secret)} />}
            {shown.knock && <p className="soft">{words.access.knock.askMeans}</p>}
            <button type="submit" className="primary" disabled={accepting.busy || isBlank(known ?? name)}>
              {accepting.busy ? busy : submit}
            </button>
          </>
        )}
      </form>
    </Card>
  );
}

/** Milliseconds between two requests for the answer. */
const POLL_INTERVAL_MS = 2_000;

/** Returns the state of my join request; null if there is none, or no answer yet. */
export function useKnock(session: SessionId | null): KnockState["state"] | null {
  const client = useClient();
  const [state, setState] = useState<KnockState["state"] | null>(null);
  useEffect(() => {
    if (!session) return;
    let over = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const known = await manage.knock(session).catch((error: unknown) => error);
      if (over) return;
      const said =
        known && typeof known === "object" && "state" in known ? (known as KnockState).state : null;
      setState((before) => said ?? before);
      if (said === "admitted") return client.rejoin(session);
      const gone = !!known && typeof known === "object" && "status" in known && known.status === 404;
      if (said !== "refused" && !gone) timer = setTimeout(() => void ask(), POLL_INTERVAL_MS);
    };
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [session, client]);
  return state;
}

/** Page of someone who asked to join: it waits for the answer, and continues by itself. */
export function WaitingRoom({ refused }: { refused: boolean }) {
  const { access, unopened } = useWords();
  const words = access.waiting;
  return (
    <>
      <Icon name={refused ? "ban" : "people"} size={36} />
      <h1>{refused ? words.refusedTitle : words.title}</h1>
      <p role="status">{refused ? words.refused : words.text}</p>
      <button type="button" className={refused ? "primary" : ""} onClick={() => navigate("/")}>
        {unopened.back}
      </button>
    </>
  );
}
