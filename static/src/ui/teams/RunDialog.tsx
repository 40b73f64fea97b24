/** Dialog that starts an execution: its task and its context. */
import { useRef, useState } from "react";
import { useClient } from "../../app/hooks";
import { navigate } from "../../app/route";
import { useTeamMutation } from "../../app/teamMutation";
import { contextKeys } from "../../state/contextKeys";
import { commandId } from "../../wire/commandId";
import { executions, sessionOf, type ExecuteRequest } from "../../wire/executions";
import type { StoredTeam } from "../../wire/teams";
import { FormDialog } from "../components/Dialog";
import { isObject } from "../../json/lossless";
import { parseJson } from "./form/JsonInput";
import { useTeamsTexts } from "../../i18n/teams.en";

/** Maximum duration of an execution, in seconds. */
const MAX_TIMEOUT_SECONDS = 1800;

interface Props {
  stored: StoredTeam;
  /** True if the editor has unsaved changes, which this execution does not use. */
  unsaved: boolean;
  onClose: () => void;
}

export function RunDialog({ stored: { team, document }, unsaved, onClose }: Props) {
  const texts = useTeamsTexts().run;
  const client = useClient();
  const keys = contextKeys(document);
  const [task, setTask] = useState("");
  const [text, setText] = useState(() => emptyContext(keys));
  const [timeout, setTimeout] = useState("");
  const [status, send] = useTeamMutation();
  const request = useRef({ body: "", key: "" });
  const context = text.trim() === "" ? {} : parseJson(text);
  const missing = isObject(context) ? keys.filter((key) => !Object.hasOwn(context, key)) : [];
  const contextError = !isObject(context)
    ? texts.contextInvalid
    : missing.length > 0
      ? texts.contextMissing(missing)
      : null;
  const run = () =>
    send(async () => {
      const limit = Number(timeout);
      const body: ExecuteRequest = {
        input: { task: task.trim(), context: context as Record<string, unknown> },
        ...(limit > 0 ? { timeout_seconds: limit } : {}),
      };
      // Resending the same request after a lost response must not start another execution.
      const sent = JSON.stringify(body);
      if (request.current.body !== sent) request.current = { body: sent, key: commandId() };
      const id = await executions.start(team.team_id, body, request.current.key);
      void client.refreshList();
      onClose();
      navigate(`/s/${sessionOf(id)}/graph`);
    });
  return (
    <FormDialog
      title={texts.title(team.name)}
      submit={status.busy ? texts.starting : texts.start}
      status={status}
      incomplete={!task.trim() || contextError !== null}
      wide
      onSubmit={() => void run()}
      onClose={onClose}
    >
      {unsaved && <p className="soft">{texts.unsaved(team.version)}</p>}
      <label>
        <span>{texts.task}</span>
        <textarea
          name="task"
          dir="auto"
          rows={4}
          value={task}
          placeholder={texts.placeholder}
          onChange={(event) => setTask(event.target.value)}
        />
      </label>
      <label className="form-field">
        <span className="form-title">{texts.context}</span>
        <span className="form-bounds" id="run-context-hint">
          {keys.length > 0 ? texts.contextNeeds(keys) : texts.contextHint}
        </span>
        <textarea
          name="context"
          className="mono"
          dir="ltr"
          rows={Math.min(10, Math.max(3, text.split("\n").length))}
          spellCheck={false}
          value={text}
          aria-invalid={contextError !== null || undefined}
          aria-describedby={contextError ? "run-context-hint run-context-fault" : "run-context-hint"}
          onChange={(event) => setText(event.target.value)}
        />
        {contextError && (
          <span className="form-error" id="run-context-fault">
            {contextError}
          </span>
        )}
      </label>
      <label>
        <span>{texts.timeout}</span>
        <input
          type="number"
          name="timeout"
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

/** Returns a context with empty values for these keys. */
function emptyContext(keys: string[]): string {
  return keys.length === 0 ? "" : JSON.stringify(Object.fromEntries(keys.map((key) => [key, ""])), null, 2);
}
