/** Creates a token with limits, and shows it once. Loaded on demand. */
import { useEffect, useState } from "react";
import type { TokenCreatedResponse } from "../../api";
import { useRequest } from "../../app/requests";
import { useFormat, useTexts } from "../../i18n/locale";
import type { Role, SessionId } from "../../protocol";
import { isBlank } from "../../text/hiddenCharacters";
import { MAX_NAME_LENGTH } from "../../text/limits";
import { manage } from "../../wire/manage";
import { rest, type SessionEntry } from "../../wire/rest";
import { CopyButton } from "../components/CopyButton";
import { Dialog, FormDialog } from "../components/Dialog";
import { useCredentialTexts } from "../../i18n/credentials.en";
import { TokenTeams } from "./TokenTeams";

/** Choices for a token's maximum role, ordered by rights from fewest to most. */
const ROLES = ["viewer", "bot", "reviewer", "member"] as const satisfies readonly Role[];
const DEFAULT_DAYS = 90;
const MAX_DAYS = 400;

export function TokenDialog({ onClose }: { onClose: () => void }) {
  const texts = useCredentialTexts();
  const { roles } = useTexts();
  const form = texts.create;
  const [label, setLabel] = useState("");
  const [session, setSession] = useState<SessionId | "">("");
  const [teams, setTeams] = useState<string[]>([]);
  const [role, setRole] = useState<Role | "">("viewer");
  const [days, setDays] = useState(String(DEFAULT_DAYS));
  const [networks, setNetworks] = useState("");
  const [sessions, setSessions] = useState<SessionEntry[]>([]);
  const [status, request] = useRequest<TokenCreatedResponse>();
  useEffect(() => {
    // If the request fails, a token for all sessions can still be created.
    rest.sessions("").then(
      (page) => setSessions(page.sessions as SessionEntry[]),
      () => undefined,
    );
  }, []);
  if (status.data) return <CreatedToken created={status.data} onClose={onClose} />;
  const create = () => {
    const networkList = networks.split(/[\s,，]+/).filter(Boolean);
    // An empty list would give access to nothing, so it is left out.
    const nonEmpty = (list: string[]) => (list.length > 0 ? (list as [string, ...string[]]) : undefined);
    const scope = {
      ...(session && { sessions: nonEmpty([session]) }),
      teams: nonEmpty(teams),
      ...(role && { max_role: role }),
      networks: nonEmpty(networkList),
    };
    void request(() => manage.createToken({ label: label.trim(), scope, expires_days: Number(days) }));
  };
  const isConfined = teams.length > 0;
  const teamNotes = [
    form.teamsMeans,
    isConfined && session && form.teamsAndSession,
    isConfined && role && role !== "member" && form.teamsReadOnly,
  ].filter((note): note is string => !!note);
  return (
    <FormDialog
      title={form.title}
      submit={status.busy ? form.creating : form.submit}
      status={status}
      incomplete={isBlank(label)}
      onSubmit={create}
      onClose={onClose}
    >
      <p className="soft">{form.means}</p>
      <label>
        <span>{form.name}</span>
        <input
          name="label"
          required
          maxLength={MAX_NAME_LENGTH}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
        <small>{form.nameMeans}</small>
      </label>
      <label>
        <span>{form.sessions}</span>
        <select value={session} onChange={(event) => setSession(event.target.value as SessionId)}>
          <option value="">{isConfined ? form.noSession : form.allSessions}</option>
          {sessions.map((one) => (
            <option key={one.session} value={one.session}>
              {one.title || form.untitled}
            </option>
          ))}
        </select>
      </label>
      <TokenTeams chosen={teams} onChange={setTeams} notes={teamNotes} />
      <label>
        <span>{form.rights}</span>
        <select value={role} onChange={(event) => setRole(event.target.value as Role)}>
          {ROLES.map((one) => (
            <option key={one} value={one}>
              {one === "viewer" ? texts.scope.readOnly : form.atMost(roles[one])}
            </option>
          ))}
          <option value="">{form.allRights}</option>
        </select>
      </label>
      <label>
        <span>{form.days}</span>
        <input
          type="number"
          name="days"
          required
          min={1}
          max={MAX_DAYS}
          value={days}
          onChange={(event) => setDays(event.target.value)}
        />
      </label>
      <label>
        <span>{form.networks}</span>
        <input name="networks" value={networks} onChange={(event) => setNetworks(event.target.value)} />
        <small>{form.networksMeans}</small>
      </label>
    </FormDialog>
  );
}

function CreatedToken({ created, onClose }: { created: TokenCreatedResponse; onClose: () => void }) {
  const { common } = useTexts();
  const form = useCredentialTexts().create;
  const format = useFormat();
  return (
    <Dialog title={form.done} onClose={onClose}>
      <div className="stack">
        <label>
          <span>{form.token}</span>
          <input name="token" readOnly value={created.token} onFocus={(event) => event.target.select()} />
          <small>
            {form.once} {form.expires(format.full(created.expires_at))}
          </small>
        </label>
        <div className="buttons end">
          <CopyButton text={created.token} className="primary" />
          <button type="button" onClick={onClose}>
            {common.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
