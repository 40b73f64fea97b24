import type { StoredOutput } from "../../src/wire/executions";

/** Stored structured output, as the server returns it. */
export function storedOutput(run: number, status: StoredOutput["status"], more: object = {}): StoredOutput {
  return {
    run_id: `r_${run}`,
    requested_at: "2026-01-01T00:01:00.000Z",
    requested_by: { kind: "user", id: "p", name: "Ann" },
    timestamp: status === "running" ? null : "2026-01-01T00:02:00.000Z",
    status,
    output_schema: { type: "object" },
    structured_output: null,
    schema_validation: null,
    partial_output: null,
    file: null,
    error_code: null,
    error_message: null,
    redacted: false,
    ...more,
  };
}
