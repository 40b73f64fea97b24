/** Where I am signed in, and the way to end that: one by one, or everywhere. */
import { useCallback, useEffect, useState } from "react";
import { useMutation } from "../../app/useMutation";
import { useFormat, useWords } from "../../i18n/locale";
import { manage, type Credential } from "../../wire/manage";
import { ErrorNotice } from "../components/ErrorNotice";
import { deviceName } from "./deviceName";

/** `onOut`: this browser is signed out. */
export function DeviceList({ onOut }: { onOut: () => void }) {
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
