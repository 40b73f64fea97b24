/** Oneself: the name that others see, and the way out. */
import { useState } from "react";
import { useApp } from "../../app/hooks";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { Avatar } from "../components/Avatar";
import { FormDialog } from "../components/FormDialog";
import { NotificationToggle } from "../shell/NotificationToggle";
import { DeviceList } from "./DeviceList";

export function Account() {
  const words = useWords().manage.you;
  const me = useApp((app) => app.me);
  const [open, setOpen] = useState(false);
  if (!me) return null;
  return (
    <>
      <button
        type="button"
        className="quiet account"
        title={words.leadsTo}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Avatar kind={me.kind} id={me.id} name={me.name} size="s" />
        <span className="account-name">
          {words.are} <strong>{me.name}</strong>
        </span>
        <span className="hidden">{words.leadsTo}</span>
      </button>
      {open && <You id={me.id} name={me.name} onClose={() => setOpen(false)} />}
    </>
  );
}

function You({ id, name: now, onClose }: { id: string; name: string; onClose: () => void }) {
  const { common, manage: words } = useWords();
  const guest = useApp((app) => app.standing === "guest");
  const [name, setName] = useState(now);
  const [asking, request] = useMutation();
  // Everything of this page was said under the old name or by the one who leaves: it begins anew.
  const anew = () => location.reload();
  const leave = () => location.assign("/");
  const save = () => {
    const wanted = name.trim();
    if (!wanted || wanted === now) onClose();
    else void request(() => manage.rename(wanted), anew);
  };
  return (
    <FormDialog
      title={words.you.title}
      submit={asking.busy ? words.you.saving : words.you.save}
      cancel={common.close}
      asking={asking}
      onSubmit={save}
      onClose={onClose}
    >
      <label>
        <span>{words.you.name}</span>
        <input
          name="name"
          maxLength={60}
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
      <DeviceList onOut={leave} />
      <div className="sign-out">
        <button type="button" onClick={() => void request(manage.signOut, leave)}>
          {words.you.signOut}
        </button>
        <small>{guest ? words.you.guestMeans : words.you.signOutMeans}</small>
      </div>
    </FormDialog>
  );
}
