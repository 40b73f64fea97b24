/** My account: my name, notifications, the devices I am signed in on, and sign-out. */
import { useState, useCallback, useEffect } from "react";
import { useApp } from "../../app/hooks";
import { useMutation } from "../../app/requests";
import { useWords, useFormat } from "../../i18n/locale";
import { manage, type Credential } from "../../wire/manage";
import { MAX_NAME_LENGTH } from "../../text/limits";
import { Avatar } from "../components/Avatar";
import { FormDialog } from "../components/Dialog";
import { NotificationToggle } from "../shell/PreferenceToggles";
import { ErrorNotice } from "../components/ErrorNotice";

/** My account: my name, and sign-out. */
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
      {open && <AccountDialog id={me.id} name={me.name} onClose={() => setOpen(false)} />}
    </>
  );
}

function AccountDialog({ id, name: now, onClose }: { id: string; name: string; onClose: () => void }) {
  const { common, manage: words } = useWords();
  const guest = useApp((app) => app.serverRole === "guest");
  const [name, setName] = useState(now);
  const [status, request] = useMutation();
  // Everything on this page was shown under the old name or to the person who leaves, so it reloads.
  const reload = () => location.reload();
  const leave = () => location.assign("/");
  // The identity provider ends its own sign-in, and leads back.
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
      <DeviceList onOut={leave} />
      <div className="sign-out">
        <button type="button" onClick={() => void request(signOut)}>
          {words.you.signOut}
        </button>
        <small>{guest ? words.you.guestMeans : words.you.signOutMeans}</small>
      </div>
    </FormDialog>
  );
}

/** `onOut` is called when this browser is signed out. */
function DeviceList({ onOut }: { onOut: () => void }) {
  const words = useWords().access.devices;
  const [listed, setListed] = useState<Credential[] | null>(null);
  const [failed, setFailed] = useState(false);
  const [ending, request] = useMutation();
  const fetch = useCallback(() => {
    void manage.credentials().then(
      ({ credentials }) => setListed(credentials),
      () => setFailed(true),
    );
  }, []);
  useEffect(fetch, [fetch]);
  return (
    <section className="devices" aria-label={words.title}>
      <h3>{words.title}</h3>
      {failed && !listed && <p className="soft">{words.failed}</p>}
      <ul>
        {listed?.map((one) => (
          <Device
            key={one.id}
            credential={one}
            busy={ending.busy}
            onEnd={() => void request(() => manage.endCredential(one.id), one.current ? onOut : fetch)}
          />
        ))}
      </ul>
      {ending.error && <ErrorNotice>{ending.error}</ErrorNotice>}
      <button
        type="button"
        disabled={ending.busy}
        onClick={() => void request(manage.signOutEverywhere, onOut)}
      >
        {words.everywhere}
      </button>
      <small>{words.everywhereMeans}</small>
    </section>
  );
}

interface DeviceProps {
  credential: Credential;
  busy: boolean;
  onEnd: () => void;
}

function Device({ credential: one, busy, onEnd }: DeviceProps) {
  const words = useWords().access.devices;
  const format = useFormat();
  const name = one.label ? deviceName(one.label) : words.kinds[one.kind];
  const facts = [
    one.address,
    one.last_used_at ? words.used(format.full(one.last_used_at)) : words.unused,
    one.expires_at && words.until(format.full(one.expires_at)),
  ];
  const isCookie = one.kind === "cookie";
  return (
    <li>
      <span>
        <span className="device-name" title={one.label}>
          {name} {one.current && <span className="tag">{words.current}</span>}
        </span>
        <small>{facts.filter(Boolean).join(" · ")}</small>
      </span>
      <button
        type="button"
        className="quiet small"
        aria-label={isCookie ? words.endName(name) : words.revokeName(name)}
        disabled={busy}
        onClick={onEnd}
      >
        {isCookie ? words.end : words.revoke}
      </button>
    </li>
  );
}

/** The first match counts, because most browsers also name others. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];

const SYSTEMS: [RegExp, string][] = [
  [/Windows/, "Windows"],
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

/** Returns a readable name of a browser from its user agent: `Firefox · Linux`. */
export function deviceName(label: string): string {
  const first = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(label))?.[1];
  return [first(BROWSERS), first(SYSTEMS)].filter(Boolean).join(" · ") || label;
}
