/** My account: my name, notifications, my signed-in devices, and sign-out. */
import { useState } from "react";
import { useApp } from "../../app/hooks";
import { useMutation } from "../../app/requests";
import { useTexts } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { MAX_NAME_LENGTH } from "../../text/limits";
import { Avatar } from "../components/Avatar";
import { FormDialog } from "../components/Dialog";
import { NotificationToggle } from "../shell/PreferenceToggles";
import { onDemand } from "../components/onDemand";

const OwnCredentials = onDemand(() => import("./OwnCredentials").then((part) => part.OwnCredentials));
const OwnQuota = onDemand(() => import("../budget/MonthlyQuotas").then((part) => part.OwnQuota));
const TokenDialog = onDemand(() => import("./TokenDialog").then((part) => part.TokenDialog));

/** My account: my name, and sign-out. */
export function Account() {
  const texts = useTexts().manage.you;
  const me = useApp((app) => app.me);
  const [open, setOpen] = useState<"account" | "token" | null>(null);
  if (!me) return null;
  const close = () => setOpen(null);
  return (
    <>
      <button
        type="button"
        className="quiet account"
        title={texts.leadsTo}
        aria-haspopup="dialog"
        onClick={() => setOpen("account")}
      >
        <Avatar kind={me.kind} id={me.id} name={me.name} size="s" />
        <span className="account-name">
          {texts.are} <strong>{me.name}</strong>
        </span>
        <span className="hidden">{texts.leadsTo}</span>
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
  const { common, manage: texts } = useTexts();
  const guest = useApp((app) => app.serverRole === "guest");
  const [name, setName] = useState(now);
  const [status, request] = useMutation();
  // Everything on this page was rendered under the old name or for the person who signs out, so the page
  // reloads.
  const reload = () => location.reload();
  const leave = () => location.assign("/");
  // The identity provider ends its own session, and redirects back.
  const signOut = async () => {
    const answer = await manage.signOut();
    location.assign(answer?.continue_at ?? "/");
  };
  const save = () => {
    const newName = name.trim();
    if (!newName || newName === now) onClose();
    else void request(() => manage.rename(newName), reload);
  };
  return (
    <FormDialog
      title={texts.you.title}
      submit={status.busy ? texts.you.saving : texts.you.save}
      cancel={common.close}
      status={status}
      onSubmit={save}
      onClose={onClose}
    >
      <label>
        <span>{texts.you.name}</span>
        <input
          name="name"
          maxLength={MAX_NAME_LENGTH}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <small>{texts.you.nameMeans}</small>
      </label>
      <p>
        {texts.you.id} <code className="own-id">{id}</code>
        <br />
        <small>{texts.you.idMeans}</small>
      </p>
      <OwnQuota />
      <NotificationToggle />
      <OwnCredentials onOut={leave} onCreate={guest ? undefined : onToken} />
      <div className="sign-out">
        <button type="button" onClick={() => void request(signOut)}>
          {texts.you.signOut}
        </button>
        <small>{guest ? texts.you.guestMeans : texts.you.signOutMeans}</small>
      </div>
    </FormDialog>
  );
}
