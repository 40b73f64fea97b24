/**
 * Stored structured output of an execution: each request with its schema, its output, and errors at their
 * paths.
 */
import { useFormat } from "../../../i18n/locale";
import { useTeamsTexts } from "../../../i18n/teams.en";
import { sessionOf, type StoredOutput } from "../../../wire/executions";
import { fileUrl } from "../../../wire/files";
import { ErrorNotice } from "../../components/ErrorNotice";
import { Icon } from "../../components/Icon";
import { DownloadLink } from "../../files/FileItem";
import { JsonBlock } from "./JsonBlock";

interface Props {
  execution: string;
  /** Oldest first. */
  outputs: StoredOutput[];
}

export function StructuredOutputList({ execution, outputs }: Props) {
  const texts = useTeamsTexts().output;
  return (
    <section className="execution-part" aria-labelledby="outputs-title">
      <h2 id="outputs-title">{texts.stored}</h2>
      <ol className="stored-outputs">
        {[...outputs].reverse().map((output) => (
          <li key={output.run_id} data-status={output.status}>
            <OutputItem execution={execution} output={output} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function OutputItem({ execution, output }: { execution: string; output: StoredOutput }) {
  const texts = useTeamsTexts().output;
  const format = useFormat();
  const { file, requested_at: at, requested_by: by, output_schema: schema, status } = output;
  return (
    <>
      <p className="base-facts">
        <time dateTime={at}>{format.full(at)}</time>
        <span dir="auto">{by.name}</span>
        {status === "running" && <span>{texts.generating}</span>}
        {status === "valid" && (
          <span>
            <Icon name="check" size={14} /> {texts.valid}
          </span>
        )}
        {output.redacted && <span>{texts.erased}</span>}
        {file && (
          <DownloadLink
            url={fileUrl(sessionOf(execution), file.name, { version: file.version })}
            name={file.name}
            label={texts.download}
            text={texts.download}
          />
        )}
      </p>
      {status === "failed" && <ErrorNotice>{output.error_message || texts.failed}</ErrorNotice>}
      {status === "valid" && !output.redacted && (
        <div data-testid="structured-output">
          <JsonBlock label={texts.title} value={output.structured_output} />
        </div>
      )}
      {status === "invalid" && <OutputErrors output={output} />}
      {schema !== null && (
        <details>
          <summary>{texts.schema}</summary>
          <JsonBlock label={texts.schema} value={schema} />
        </details>
      )}
    </>
  );
}

function OutputErrors({ output }: { output: StoredOutput }) {
  const texts = useTeamsTexts().output;
  const errors = output.schema_validation?.errors ?? [];
  return (
    <div className="structured-errors">
      <h3>{errors.length > 0 ? texts.errors(errors.length) : texts.invalid}</h3>
      <dl>
        {errors.map((error, i) => (
          <div key={i}>
            <dt>
              <code>{error.path}</code>
            </dt>
            <dd>{error.message}</dd>
          </div>
        ))}
      </dl>
      {output.partial_output !== null && (
        <>
          <h3>{texts.partial}</h3>
          <JsonBlock label={texts.partial} value={output.partial_output} />
        </>
      )}
    </div>
  );
}
