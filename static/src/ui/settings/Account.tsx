/** My account: my name, notifications, my signed-in devices, and sign-out. */
import { useState } from "react";
import { useApp } from "../../app/hooks";
import { useMutation } from "../../app/requests";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { MAX_NAME_LENGTH } from "../../text/limits";
import { Avatar } from "../components/Avatar";
import { FormDialog } from "../components/Dialog";
import { NotificationToggle } from "../shell/PreferenceToggles";
import { onDemand } from "../components/onDemand";

const OwnCredentials = onDemand(() => import("./OwnCredentials").then((part) => part.OwnCredentials));
const TokenDialog = onDemand(() => import("./TokenDialog").then((part) => part.TokenDialog));

/** My account: my name, and sign-out. */
export function Account() {
  const words = useWords().manage.you;
  const me = useApp((app) => app.me);
  const [open, setOpen] = useState<"account" | "token" | null>(null);
  if (!me) return null;
  const close = () => setOpen(null);
  return (
    <>
      <button
        type="button"
        className="quiet account"
        title={words.leadsTo}
        aria-haspopup="dialog"
        onClick={() => setOpen("account")}
      >
        <Avatar kind={me.kind} id={me.id} name={me.name} size="s" />
        <span className="account-name">
          {words.are} <strong>{me.name}</strong>
        </span>
        <span className="hidden">{words.leadsTo}</span>
      </button>
      {open === "account" && (
        <AccountDialog id={me.id} name={me.name} onClose={close} onToken={() => setOpen("token")} />
      )}
      {open === "token" && <TokenDialog onClose={() => setOpen("account")} />}
    </>
  );
}

interface AccountDialogProps {
  id: string;
  name: string;
  onClose: () => void;
  onToken: () => void;
}

function AccountDialog({ id, name: now, onClose, onToken }: AccountDialogProps) {
  const { common, manage: words } = useWords();
  const guest = useApp((app) => app.serverRole === "guest");
  const [name, setName] = useState(now);
  const [status, request] = useMutation();
  // Everything on this page was rendered under the old name or for the person who signs out, so it reloads.
  const reload = () => location.reload();
  const leave = () => location.assign("/");
  // The identity provider ends its own session, and redirects back.
  const signOut = async () => {
    const answer = await manage.signOut();
    location.assign(answer?.continue_at ?? "/");
  };
  const save = () => {
    const wanted = name.trim();
    if (!wanted || wanted === now) onClose();
    else void request(() => manage.rename(wanted), reload);
  };
  return (
    <FormDialog
      title={words.you.title}
      submit={status.busy ? words.you.saving : words.you.save}
      cancel={common.close}
      status={status}
      onSubmit={save}
      onClose={onClose}
    >
      <label>
        <span>{words.you.name}</span>
        <input
          name="name"
          maxLength={MAX_NAME_LENGTH}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <small>{words.you.nameMeans}</small>
      </label>
      <p>
        {words.you.id} <code className="own-id">{id}</code>
        <br />
        <small>{words.you.idMeans}</small>
      </p>
      <NotificationToggle />
      <OwnCredentials onOut={leave} onCreate={guest ? undefined : onToken} />
      <div className="sign-out">
        <button type="button" onClick={() => void request(signOut)}>
          {words.you.signOut}
        </button>
        <small>{guest ? words.you.guestMeans : words.you.signOutMeans}</small>
      </div>
    </FormDialog>
  );
}
