/** Devices and tokens of a person, with what each of them can access. Loaded on demand. */
import { useCallback, useEffect, useState } from "react";
import type { CredentialsResponse, TokenScope } from "../../api";
import { useMutation } from "../../app/requests";
import { useCredentialTexts, type CredentialTexts } from "../../i18n/credentials.en";
import { useFormat, useTexts } from "../../i18n/locale";
import type { Credential } from "../../wire/manage";
import { ErrorNotice } from "../components/ErrorNotice";

/** Requests about the credentials of one person. */
export interface CredentialRequests {
  list: () => Promise<CredentialsResponse>;
  end: (id: string) => Promise<unknown>;
  everywhere: () => Promise<unknown>;
}

interface Props {
  requests: CredentialRequests;
  title: string;
  /** Explains what signing out everywhere does. */
  everywhereMeans: string;
  /** Called when this browser has been signed out. */
  onOut?: () => void;
  /** Opens the form for a new token. */
  onCreate?: () => void;
}

export function CredentialList({ requests, title, everywhereMeans, onOut, onCreate }: Props) {
  const texts = useCredentialTexts();
  const [listed, setListed] = useState<CredentialsResponse | null>(null);
  const [failed, setFailed] = useState(false);
  const [ending, request] = useMutation();
  const fetch = useCallback(() => {
    void requests.list().then(setListed, () => setFailed(true));
  }, [requests]);
  useEffect(fetch, [fetch]);
  return (
    <section className="devices" aria-label={title}>
      <h3>{title}</h3>
      {failed && !listed && <p className="soft">{texts.failed}</p>}
      {listed?.credentials.length === 0 && <p className="soft">{texts.ofNobody}</p>}
      <ul>
        {listed?.credentials.map((one) => (
          <Device
            key={one.id}
            credential={one}
            busy={ending.busy}
            onEnd={() => void request(() => requests.end(one.id), one.current && onOut ? onOut : fetch)}
          />
        ))}
      </ul>
      {listed?.more && <p className="soft">{texts.more(listed.credentials.length)}</p>}
      {ending.error && <ErrorNotice>{ending.error}</ErrorNotice>}
      <div className="buttons">
        {onCreate && (
          <button type="button" onClick={onCreate}>
            {texts.create.open}
          </button>
        )}
        <button
          type="button"
          disabled={ending.busy}
          onClick={() => void request(requests.everywhere, onOut ?? fetch)}
        >
          {texts.everywhere}
        </button>
      </div>
      <small>{everywhereMeans}</small>
    </section>
  );
}

interface DeviceProps {
  credential: Credential;
  busy: boolean;
  onEnd: () => void;
}

function Device({ credential: one, busy, onEnd }: DeviceProps) {
  const texts = useCredentialTexts();
  const { roles, common } = useTexts();
  const format = useFormat();
  const isCookie = one.kind === "cookie";
  const label = one.label && (isCookie ? deviceName(one.label) : one.label);
  const name = label ? (isCookie ? label : `${texts.kinds[one.kind]} ${label}`) : texts.kinds[one.kind];
  const facts = [
    one.scope && scopeText(one.scope, texts, roles, common.comma),
    one.address,
    one.last_used_at ? texts.used(format.full(one.last_used_at)) : texts.unused,
    one.expires_at && texts.until(format.full(one.expires_at)),
  ];
  return (
    <li data-credential={one.id}>
      <span>
        <span className="device-name" title={one.label}>
          {name} {one.current && <span className="tag">{texts.current}</span>}
        </span>
        <small>{facts.filter(Boolean).join(" · ")}</small>
      </span>
      <button
        type="button"
        className="quiet small"
        aria-label={isCookie ? texts.endName(name) : texts.revokeName(name)}
        disabled={busy}
        onClick={onEnd}
      >
        {isCookie ? texts.end : texts.revoke}
      </button>
    </li>
  );
}

/** Returns the limits of a credential as text. */
export function scopeText(
  scope: TokenScope,
  texts: CredentialTexts,
  roles: Record<string, string>,
  comma: string,
): string {
  const { sessions = [], teams = [], max_role, networks = [] } = scope;
  const limits = [
    sessions.length > 0 && texts.scope.sessions(sessions.length),
    teams.length > 0 && texts.scope.teams(teams.length),
    max_role === "viewer" && texts.scope.readOnly,
    max_role && max_role !== "viewer" && texts.scope.role(roles[max_role] ?? max_role),
    networks.length > 0 && texts.scope.networks(networks.join(comma)),
  ];
  return limits.filter(Boolean).join(comma) || texts.scope.all;
}

/** Patterns for browser names. The first match counts, because most user agents also name other browsers. */
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

/** Returns a readable name for a user agent, such as `Firefox · Linux`; an unknown label stays unchanged. */
export function deviceName(label: string): string {
  const first = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(label))?.[1];
  return [first(BROWSERS), first(SYSTEMS)].filter(Boolean).join(" · ") || label;
}
