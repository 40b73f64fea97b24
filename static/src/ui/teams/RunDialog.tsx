/** Start of an execution: its task and its context. */
import { useState } from "react";
import { useClient } from "../../app/hooks";
import { navigate } from "../../app/route";
import { useTeamMutation } from "../../app/teamMutation";
import { executions, sessionOf } from "../../wire/executions";
import type { StoredTeam } from "../../wire/teams";
import { FormDialog } from "../components/Dialog";
import { MapInput } from "./form/MapInput";
import { useTeamsWords } from "./words";

/** Maximum seconds of an execution. */
const MAX_TIMEOUT_SECONDS = 1800;

interface Props {
  team: StoredTeam["team"];
  /** True if the editor has changes that this execution does not use. */
  unsaved: boolean;
  onClose: () => void;
}

export function RunDialog({ team, unsaved, onClose }: Props) {
  const words = useTeamsWords().run;
  const client = useClient();
  const [task, setTask] = useState("");
  const [context, setContext] = useState<Record<string, unknown>>({});
  const [timeout, setTimeout] = useState("");
  const [status, send] = useTeamMutation();
  const run = () =>
    send(async () => {
      const input = { task: task.trim(), ...(Object.keys(context).length > 0 ? { context } : {}) };
      const limit = Number(timeout);
      const id = await executions.start(team.team_id, {
        input,
        ...(limit > 0 ? { timeout_seconds: limit } : {}),
      });
      void client.refreshList();
      onClose();
      navigate(`/s/${sessionOf(id)}/graph`);
    });
  return (
    <FormDialog
      title={words.title(team.name)}
      submit={status.busy ? words.starting : words.start}
      status={status}
      incomplete={!task.trim()}
      wide
      onSubmit={() => void run()}
      onClose={onClose}
    >
      {unsaved && <p className="soft">{words.unsaved(team.version)}</p>}
      <label>
        <span>{words.task}</span>
        <textarea
          name="task"
          dir="auto"
          rows={4}
          value={task}
          placeholder={words.placeholder}
          onChange={(event) => setTask(event.target.value)}
        />
      </label>
      <div className="form-field">
        <span className="form-title" id="run-context">
          {words.context}
        </span>
        <p className="form-bounds" id="run-context-hint">
          {words.contextHint}
        </p>
        <MapInput
          label="run-context"
          described="run-context-hint"
          value={context}
          readOnly={false}
          onChange={(next) => setContext(next ?? {})}
        />
      </div>
      <label>
        <span>{words.timeout}</span>
        <input
          type="number"
          inputMode="numeric"
          min={1}
          max={MAX_TIMEOUT_SECONDS}
          value={timeout}
          placeholder={String(team.timeout_seconds)}
          onChange={(event) => setTimeout(event.target.value)}
        />
      </label>
    </FormDialog>
  );
}
