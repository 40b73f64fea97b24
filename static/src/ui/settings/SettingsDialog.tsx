/** What the session is bound by, to be changed. */
import { useState } from "react";
import type { Role, Quorum, SessionId, Settings } from "../../protocol";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { FormDialog } from "../components/FormDialog";
import {
  changedSettings,
  NUMBER_NAMES,
  NUMBER_SETTINGS,
  settingsDraftOf,
  type NumberName,
  type SettingsDraft,
} from "./settingsDraft";

interface Props {
  session: SessionId;
  settings: Settings;
  onClose: () => void;
}

/** Roles that vote. */
const VOTERS: Role[] = ["owner", "member", "reviewer"];

export function SettingsDialog({ session, settings, onClose }: Props) {
  const { roles, manage: words, redaction } = useWords();
  // What was there when it was opened: what others change meanwhile is theirs.
  const [before] = useState(() => settingsDraftOf(settings));
  const [wanted, setWanted] = useState(before);
  const [asking, request] = useMutation();
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
      submit={asking.busy ? words.settings.saving : words.settings.save}
      asking={asking}
      wide
      onSubmit={save}
      onClose={onClose}
    >
      <label>
        <span>{words.settings.rule}</span>
        <select
          name="rule"
          value={wanted.rule}
          onChange={(event) => set({ rule: event.target.value as Quorum["rule"] })}
        >
          {Object.entries(words.settings.names).map(([rule, name]) => (
            <option key={rule} value={rule}>
              {name}
            </option>
          ))}
        </select>
        <small>{words.settings.applies}</small>
      </label>
      {wanted.rule === "at_least" && (
        <NumberField
          label={words.settings.n}
          value={wanted.n}
          range={[1, 100]}
          onChange={(n) => set({ n })}
        />
      )}
      {wanted.rule === "role" && (
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
        {number("messages_per_run")}
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
        <div className="two">{NUMBER_NAMES.filter((name) => name !== "messages_per_run").map(number)}</div>
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
