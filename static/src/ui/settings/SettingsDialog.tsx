/** Dialog that changes the settings of a session. */
import { useState } from "react";
import type { SessionId, Settings } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { useMutation } from "../../app/requests";
import { manage } from "../../wire/manage";
import { FormDialog } from "../components/Dialog";
import { ApprovalRules } from "./ApprovalRules";
import { BudgetFields } from "./BudgetFields";
import { ModelField } from "./ModelField";
import { LearningFields } from "./LearningFields";
import { NumberField } from "./NumberField";
import { RightsFields } from "./RightsFields";
import { QuorumFields } from "./QuorumFields";
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

export function SettingsDialog({ session, settings, onClose }: Props) {
  const { manage: words, redaction } = useWords();
  // Values at the time when the dialog was opened: later changes by others are kept.
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
    const changes = changedSettings(before, wanted, settings.budget);
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
      <QuorumFields
        value={wanted.approval}
        hint={words.settings.applies}
        onChange={(approval) => set({ approval })}
      />
      <ApprovalRules rules={wanted.rules} onChange={(rules) => set({ rules })} />
      <LearningFields value={wanted.learning} onChange={(learning) => set({ learning })} />
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
      <BudgetFields value={wanted.budget} onChange={(budget) => set({ budget })} />
      <ModelField value={wanted.model} onChange={(model) => set({ model })} />
      <RightsFields rules={wanted.rights} onChange={(rights) => set({ rights })} />
      <details>
        <summary>{words.settings.more}</summary>
        <div className="two">
          {NUMBER_NAMES.filter((name) => name !== "max_messages_per_run").map(number)}
        </div>
      </details>
    </FormDialog>
  );
}
