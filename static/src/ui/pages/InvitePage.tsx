/** `/invite#secret`: says what the invitation is for, asks for a name, and lets one in. */
import { useEffect, useState } from "react";
import { rest, type InvitePreview } from "../../wire/rest";
import { navigate } from "../../app/route";
import { readStorage, writeStorage } from "../../app/storage";
import { useRequest } from "../../app/useRequest";
import { wasSignedIn, fetchCurrentUser } from "../../app/currentUser";
import { useWords } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";
import { PageLink } from "../components/PageLink";
import { Card } from "./Card";

export function InvitePage({ secret, onDone }: { secret: string; onDone: () => void }) {
  const words = useWords();
  const [preview, askPreview] = useRequest<InvitePreview>();
  const [accepting, accept] = useRequest<{ session: string }>();
  const [name, setName] = useState(() => readStorage<string>("name") ?? "");
  const [known, setKnown] = useState<string | null>(null);
  useEffect(() => {
    if (!secret) return;
    void askPreview(() => rest.previewInvite(secret));
    // Whoever is signed in comes in as themselves and need not say a name.
    if (!wasSignedIn()) return;
    void fetchCurrentUser().then(
      (me) => setKnown(me?.you.name ?? null),
      () => undefined,
    );
  }, [secret, askPreview]);
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
                  // Nothing else is asked for here.
                  // eslint-disable-next-line jsx-a11y/no-autofocus
                  autoFocus
                  required
                  maxLength={60}
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
                <small>{words.join.nameHint}</small>
              </label>
            ) : (
              <p className="soft">{words.join.known(known)}</p>
            )}
            {shown.knock && <p className="soft">{words.access.knock.askMeans}</p>}
            <button type="submit" className="primary" disabled={accepting.busy || !(known ?? name).trim()}>
              {accepting.busy ? busy : submit}
            </button>
          </>
        )}
      </form>
    </Card>
  );
}
