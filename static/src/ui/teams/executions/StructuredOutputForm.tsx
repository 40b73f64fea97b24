/** Form that requests structured output for an execution. The execution stores the outcome. */
import { useState } from "react";
import { useTeamMutation } from "../../../app/teamMutation";
import { readStorage, writeStorage } from "../../../app/storage";
import { executions } from "../../../wire/executions";
import { ErrorNotice } from "../../components/ErrorNotice";
import { parseJson } from "../form/JsonInput";
import { isObject } from "../../../json/lossless";
import { useTeamsTexts } from "../../../i18n/teams.en";

interface Props {
  team: string;
  execution: string;
  running: boolean;
  /** Called when the execution has stored the outcome. */
  onStored: () => void;
}

const EXAMPLE = {
  type: "object",
  properties: {
    summary: { type: "string", description: "Summary of the result" },
    issues: {
      type: "array",
      items: {
        type: "object",
        properties: {
          severity: { type: "string", enum: ["critical", "high", "medium", "low"] },
          description: { type: "string" },
          affected_node: { type: "string" },
        },
        required: ["severity", "description"],
      },
    },
  },
  required: ["summary", "issues"],
};

export function StructuredOutputForm({ team, execution, running, onStored }: Props) {
  const texts = useTeamsTexts().output;
  const key = `schema.${team}`;
  const [schema, setSchema] = useState(() => readStorage<string>(key) ?? JSON.stringify(EXAMPLE, null, 2));
  const [raw, setRaw] = useState(false);
  const [status, send] = useTeamMutation();
  const [rawOutput, setRawOutput] = useState<string | null>(null);
  const parsed = parseJson(schema);
  const schemaObject = isObject(parsed) ? parsed : null;
  const generate = () =>
    void send(async () => {
      writeStorage(key, schema);
      setRawOutput(null);
      try {
        const body = { execution_id: execution, output_schema: schemaObject!, include_raw_output: raw };
        setRawOutput((await executions.structure(team, body)).raw_output ?? null);
      } finally {
        onStored();
      }
    });
  return (
    <section className="structured" aria-labelledby="structured-title">
      <h2 id="structured-title">{texts.title}</h2>
      <p className="soft">{texts.intro}</p>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (schemaObject && !running) generate();
        }}
      >
        <label className="form-field">
          <span className="form-title">{texts.schema}</span>
          <textarea
            name="schema"
            className="mono"
            dir="ltr"
            rows={Math.min(18, schema.split("\n").length + 1)}
            spellCheck={false}
            value={schema}
            aria-invalid={!schemaObject || undefined}
            aria-describedby={schemaObject ? undefined : "schema-fault"}
            onChange={(event) => setSchema(event.target.value)}
          />
        </label>
        {!schemaObject && (
          <p className="form-error" id="schema-fault">
            {texts.invalidJson}
          </p>
        )}
        <label className="check">
          <input type="checkbox" checked={raw} onChange={(event) => setRaw(event.target.checked)} />
          {texts.raw}
        </label>
        {running && <p className="soft">{texts.running}</p>}
        <div className="buttons">
          <button type="submit" className="primary" disabled={status.busy || running || !schemaObject}>
            {status.busy ? texts.generating : texts.generate}
          </button>
        </div>
      </form>
      {status.error && <ErrorNotice>{status.error}</ErrorNotice>}
      {rawOutput !== null && (
        <details>
          <summary>{texts.rawOutput}</summary>
          <pre className="json-block">{rawOutput}</pre>
        </details>
      )}
    </section>
  );
}
