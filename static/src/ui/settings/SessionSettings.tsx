/** Settings of a session, and the dialog that changes them. */
import { useState } from "react";
import type { SessionId, Role, Quorum, Settings } from "../../protocol";
import { isActive } from "../../state/runSelectors";
import { hasRight, canRedact, ownMember } from "../../state/participants";
import { useMe, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { quorumText } from "../gates/gateText";
import { CloseDialog } from "./LeaveSession";
import { RedactDialog } from "./RedactButton";
import { useMutation } from "../../app/requests";
import { manage } from "../../wire/manage";
import { FormDialog } from "../components/Dialog";
import {
  changedSettings,
  NUMBER_NAMES,
  NUMBER_SETTINGS,
  settingsDraftOf,
  type NumberName,
  type SettingsDraft,
} from "./settingsDraft";

/** Decision rule of the session, for everyone; for its managers, also the buttons that change it. */
export function SessionSettings({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const me = useMe();
  const settings = useSession(session, (state) => state.settings);
  const manages = useSession(session, (state) => hasRight(state, "manage"));
  const admin = useSession(session, (state) => manages && ownMember(state, me)?.role !== "owner");
  const redacts = useSession(session, (state) => canRedact(state) && !state.redacted);
  const busy = useSession(session, isActive);
  const [open, setOpen] = useState<"settings" | "close" | "redact" | null>(null);
  if (!settings) return null;
  const { approval = { kind: "any" }, gate_seconds: seconds, retention_days: days } = settings;
  const close = () => setOpen(null);
  return (
    <section className="rules" aria-label={words.manage.rules.title}>
      <h3>{words.manage.rules.title}</h3>
      <p>{quorumText(approval, words)}</p>
      {!!seconds && <p className="soft">{words.manage.rules.open(format.took(seconds * 1000))}</p>}
      {!!days && <p className="soft">{words.redaction.keeps(days)}</p>}
      {admin && <p className="soft">{words.manage.rules.asAdmin}</p>}
      {manages && (
        <div className="buttons">
          <button type="button" className="small" onClick={() => setOpen("settings")}>
            {words.manage.rules.settings}
          </button>
          <button type="button" className="quiet small" disabled={busy} onClick={() => setOpen("close")}>
            {words.manage.rules.close}
          </button>
        </div>
      )}
      {manages && busy && <p className="soft">{words.manage.rules.busy}</p>}
      {redacts && (
        <div className="buttons">
          <button
            type="button"
            className="quiet small danger"
            disabled={busy}
            onClick={() => setOpen("redact")}
          >
            {words.redaction.session}
          </button>
        </div>
      )}
      {open === "redact" && <RedactDialog session={session} target={{ kind: "session" }} onClose={close} />}
      {open === "settings" && <SettingsDialog session={session} settings={settings} onClose={close} />}
      {open === "close" && <CloseDialog session={session} onClose={close} />}
    </section>
  );
}

interface Props {
  session: SessionId;
  settings: Settings;
  onClose: () => void;
}

/** Roles that can vote. */
const VOTERS: Role[] = ["owner", "member", "reviewer"];

/** Dialog that changes the settings of the session. */
function SettingsDialog({ session, settings, onClose }: Props) {
  const { roles, manage: words, redaction } = useWords();
  // Values when the dialog was opened: changes by others meanwhile are kept.
  const [before] = useState(() => settingsDraftOf(settings));
  const [wanted, setWanted] = useState(before);
  const [status, request] = useMutation();
  const set = (how: Partial<SettingsDraft>) => setWanted((old) => ({ ...old, ...how }));
  const number = (name: NumberName) => (
    <NumberField
      key={name}
      label={words.settings[name]}
      value={wanted.numbers[name]}
      range={NUMBER_SETTINGS[name]}
      onChange={(value) => set({ numbers: { ...wanted.numbers, [name]: value } })}
    />
  );
  const save = () => {
    const changes = changedSettings(before, wanted);
    if (Object.keys(changes).length === 0) onClose();
    else void request(() => manage.set(session, changes), onClose);
  };
  return (
    <FormDialog
      title={words.settings.title}
      submit={status.busy ? words.settings.saving : words.settings.save}
      status={status}
      wide
      onSubmit={save}
      onClose={onClose}
    >
      <label>
        <span>{words.settings.rule}</span>
        <select
          name="quorum"
          value={wanted.quorum}
          onChange={(event) => set({ quorum: event.target.value as Quorum["kind"] })}
        >
          {Object.entries(words.settings.names).map(([quorum, name]) => (
            <option key={quorum} value={quorum}>
              {name}
            </option>
          ))}
        </select>
        <small>{words.settings.applies}</small>
      </label>
      {wanted.quorum === "at_least" && (
        <NumberField
          label={words.settings.n}
          value={wanted.n}
          range={[1, 100]}
          onChange={(n) => set({ n })}
        />
      )}
      {wanted.quorum === "role" && (
        <label>
          <span>{words.settings.role}</span>
          <select
            name="role"
            value={wanted.role}
            onChange={(event) => set({ role: event.target.value as Role })}
          >
            {VOTERS.map((role) => (
              <option key={role} value={role}>
                {roles[role]}
              </option>
            ))}
          </select>
        </label>
      )}
      <div className="two">
        <label>
          <span>{words.settings.minutes}</span>
          <input
            name="minutes"
            type="number"
            step="any"
            min={1 / 60}
            value={wanted.minutes}
            onChange={(event) => set({ minutes: event.target.value })}
          />
          <small>{words.settings.minutesMeans}</small>
        </label>
        {number("max_messages_per_run")}
      </div>
      <label>
        <span>{redaction.days}</span>
        <input
          name="days"
          type="number"
          min={1}
          max={36500}
          value={wanted.days}
          onChange={(event) => set({ days: event.target.value })}
        />
        <small>{redaction.daysMean}</small>
      </label>
      <details>
        <summary>{words.settings.more}</summary>
        <div className="two">
          {NUMBER_NAMES.filter((name) => name !== "max_messages_per_run").map(number)}
        </div>
      </details>
    </FormDialog>
  );
}

interface NumberProps {
  label: string;
  value: string;
  range: readonly [number, number];
  onChange: (value: string) => void;
}

function NumberField({ label, value, range: [least, most], onChange }: NumberProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        required
        min={least}
        max={most}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
