/** Structured output of an execution: its schema, the output, and errors at their paths. */
import { useState } from "react";
import { useTeamMutation } from "../../../app/teamMutation";
import { readStorage, writeStorage } from "../../../app/storage";
import { executions, failedOutput, type FailedOutput, type StructuredOutput } from "../../../wire/executions";
import { ErrorNotice } from "../../components/ErrorNotice";
import { Icon } from "../../components/Icon";
import { parseJson } from "../form/JsonInput";
import { isObject } from "../../../json/lossless";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { JsonBlock } from "./JsonBlock";

interface Props {
  team: string;
  execution: string;
  running: boolean;
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

export function StructuredOutputForm({ team, execution, running }: Props) {
  const texts = useTeamsTexts().output;
  const key = `schema.${team}`;
  const [schema, setSchema] = useState(() => readStorage<string>(key) ?? JSON.stringify(EXAMPLE, null, 2));
  const [raw, setRaw] = useState(false);
  const [status, send] = useTeamMutation();
  const [result, setResult] = useState<StructuredOutput | null>(null);
  const [failure, setFailure] = useState<FailedOutput | null>(null);
  const parsed = parseJson(schema);
  const schemaObject = isObject(parsed) ? parsed : null;
  const generate = () =>
    void send(async () => {
      writeStorage(key, schema);
      setResult(null);
      setFailure(null);
      try {
        const body = { execution_id: execution, output_schema: schemaObject!, include_raw_output: raw };
        setResult(await executions.structure(team, body));
      } catch (error) {
        setFailure(failedOutput(error));
        throw error;
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
      {failure && <OutputErrors failure={failure} />}
      {result && <OutputResult result={result} execution={execution} />}
    </section>
  );
}

function OutputErrors({ failure }: { failure: FailedOutput }) {
  const texts = useTeamsTexts().output;
  return (
    <div className="structured-errors">
      {failure.errors.length > 0 && (
        <>
          <h3>{texts.errors(failure.errors.length)}</h3>
          <dl>
            {failure.errors.map((error, i) => (
              <div key={i}>
                <dt>
                  <code>{error.path}</code>
                </dt>
                <dd>{error.message}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
      {failure.partial !== undefined && (
        <>
          <h3>{texts.partial}</h3>
          <JsonBlock label={texts.partial} value={failure.partial} />
        </>
      )}
    </div>
  );
}

function OutputResult({ result, execution }: { result: StructuredOutput; execution: string }) {
  const texts = useTeamsTexts().output;
  const text = JSON.stringify(result.structured_output, null, 2);
  const download = () => {
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = url;
    link.download = `${execution}.json`;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <div className="structured-result" data-testid="structured-output">
      <p role="status">
        <Icon name="check" size={14} /> {texts.valid}
      </p>
      <JsonBlock label={texts.title} value={result.structured_output} />
      <button type="button" onClick={download}>
        <Icon name="download" size={14} /> {texts.download}
      </button>
      {result.raw_output !== undefined && (
        <details>
          <summary>{texts.rawOutput}</summary>
          <pre className="json-block">{result.raw_output}</pre>
        </details>
      )}
    </div>
  );
}
