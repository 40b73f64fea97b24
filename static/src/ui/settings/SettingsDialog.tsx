/** Dialog that changes the settings of a session. */
import { useState } from "react";
import type { SessionId, Settings } from "../../protocol";
import { useTexts } from "../../i18n/locale";
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
  const { manage: texts, redaction } = useTexts();
  // The values when the dialog was opened. Only differences from them are sent, so that later changes by
  // others are kept.
  const [before] = useState(() => settingsDraftOf(settings));
  const [draft, setDraft] = useState(before);
  const [status, request] = useMutation();
  const set = (changes: Partial<SettingsDraft>) => setDraft((old) => ({ ...old, ...changes }));
  const number = (name: NumberName) => (
    <NumberField
      key={name}
      label={texts.settings[name]}
      value={draft.numbers[name]}
      range={NUMBER_SETTINGS[name]}
      onChange={(value) => set({ numbers: { ...draft.numbers, [name]: value } })}
    />
  );
  const save = () => {
    const changes = changedSettings(before, draft, settings.budget);
    if (Object.keys(changes).length === 0) onClose();
    else void request(() => manage.set(session, changes), onClose);
  };
  return (
    <FormDialog
      title={texts.settings.title}
      submit={status.busy ? texts.settings.saving : texts.settings.save}
      status={status}
      wide
      onSubmit={save}
      onClose={onClose}
    >
      <QuorumFields
        value={draft.approval}
        hint={texts.settings.applies}
        onChange={(approval) => set({ approval })}
      />
      <ApprovalRules rules={draft.rules} onChange={(rules) => set({ rules })} />
      <LearningFields value={draft.learning} onChange={(learning) => set({ learning })} />
      <div className="two">
        <label>
          <span>{texts.settings.minutes}</span>
          <input
            name="minutes"
            type="number"
            step="any"
            min={1 / 60}
            value={draft.minutes}
            onChange={(event) => set({ minutes: event.target.value })}
          />
          <small>{texts.settings.minutesMeans}</small>
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
          value={draft.days}
          onChange={(event) => set({ days: event.target.value })}
        />
        <small>{redaction.daysMean}</small>
      </label>
      <BudgetFields value={draft.budget} onChange={(budget) => set({ budget })} />
      <ModelField value={draft.model} onChange={(model) => set({ model })} />
      <RightsFields rules={draft.rights} onChange={(rights) => set({ rights })} />
      <details>
        <summary>{texts.settings.more}</summary>
        <div className="two">
          {NUMBER_NAMES.filter((name) => name !== "max_messages_per_run").map(number)}
        </div>
      </details>
    </FormDialog>
  );
}
