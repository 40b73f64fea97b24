/** Devices and tokens of a person, with the access of each. Loaded on demand. */
import { useCallback, useEffect, useState } from "react";
import type { TokenScope } from "../../api";
import { useMutation } from "../../app/requests";
import { credentials as en, type CredentialWords } from "../../i18n/credentials.en";
import { credentials as zh } from "../../i18n/credentials.zh";
import { useFormat, useLocale, useWords } from "../../i18n/locale";
import type { Credential } from "../../wire/manage";
import { ErrorNotice } from "../components/ErrorNotice";

/** Returns the texts in the reader's language. */
export function useCredentialWords(): CredentialWords {
  return useLocale().locale === "zh" ? zh : en;
}

/** Requests about the credentials of one person. */
export interface CredentialRequests {
  list: () => Promise<{ credentials: Credential[] }>;
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
  const words = useCredentialWords();
  const [listed, setListed] = useState<Credential[] | null>(null);
  const [failed, setFailed] = useState(false);
  const [ending, request] = useMutation();
  const fetch = useCallback(() => {
    void requests.list().then(
      ({ credentials }) => setListed(credentials),
      () => setFailed(true),
    );
  }, [requests]);
  useEffect(fetch, [fetch]);
  return (
    <section className="devices" aria-label={title}>
      <h3>{title}</h3>
      {failed && !listed && <p className="soft">{words.failed}</p>}
      {listed?.length === 0 && <p className="soft">{words.ofNobody}</p>}
      <ul>
        {listed?.map((one) => (
          <Device
            key={one.id}
            credential={one}
            busy={ending.busy}
            onEnd={() => void request(() => requests.end(one.id), one.current && onOut ? onOut : fetch)}
          />
        ))}
      </ul>
      {ending.error && <ErrorNotice>{ending.error}</ErrorNotice>}
      <div className="buttons">
        {onCreate && (
          <button type="button" onClick={onCreate}>
            {words.create.open}
          </button>
        )}
        <button
          type="button"
          disabled={ending.busy}
          onClick={() => void request(requests.everywhere, onOut ?? fetch)}
        >
          {words.everywhere}
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
  const words = useCredentialWords();
  const { roles } = useWords();
  const format = useFormat();
  const isCookie = one.kind === "cookie";
  const label = one.label && (isCookie ? deviceName(one.label) : one.label);
  const name = label ? (isCookie ? label : `${words.kinds[one.kind]} ${label}`) : words.kinds[one.kind];
  const facts = [
    one.scope && scopeText(one.scope, words, roles),
    one.address,
    one.last_used_at ? words.used(format.full(one.last_used_at)) : words.unused,
    one.expires_at && words.until(format.full(one.expires_at)),
  ];
  return (
    <li data-credential={one.id}>
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

/** Returns the limits of a credential as text. */
export function scopeText(scope: TokenScope, words: CredentialWords, roles: Record<string, string>): string {
  const { sessions = [], teams = [], max_role, networks = [] } = scope;
  const limits = [
    sessions.length > 0 && words.scope.sessions(sessions.length),
    teams.length > 0 && words.scope.teams(teams.length),
    max_role === "viewer" && words.scope.readOnly,
    max_role && max_role !== "viewer" && words.scope.role(roles[max_role] ?? max_role),
    networks.length > 0 && words.scope.networks(networks.join(", ")),
  ];
  return limits.filter(Boolean).join(", ") || words.scope.all;
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
