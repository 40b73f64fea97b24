import { expect, it, vi } from "vitest";
import { executionOf, executions, sessionOf } from "../../src/wire/executions";
import { documentErrors, teamErrorCode } from "../../src/wire/teams";
import { ApiError, toApiError } from "../../src/wire/rest";

it("maps between an execution and its session", () => {
  const execution = "0190f3c0-7a1b-7c3d-8e5f-60718293a4b5";
  expect(sessionOf(execution)).toBe("s_0190f3c07a1b7c3d8e5f60718293a4b5");
  expect(executionOf(sessionOf(execution))).toBe(execution);
});

it("starts an execution under a key, reads only its id, and closes the stream", async () => {
  const id = "0190f3c0-7a1b-7c3d-8e5f-60718293a4b5";
  const requests: RequestInit[] = [];
  vi.stubGlobal("fetch", async (_: string, init: RequestInit) => {
    requests.push(init);
    return new Response(new ReadableStream(), { headers: { location: `/api/v1/executions/${id}` } });
  });
  expect(await executions.start("t1", { input: { task: "Look" } }, "k1")).toBe(id);
  expect(requests[0]!.headers).toMatchObject({ "idempotency-key": "k1" });
  expect(requests[0]!.signal!.aborted).toBe(true);

  vi.stubGlobal("fetch", async () => new Response("<html>"));
  await expect(executions.start("t1", { input: { task: "Look" } }, "k1")).rejects.toThrow(ApiError);
});

it("parses the errors of a document in their own notation", () => {
  const errors = [{ pointer: "/team_name", code: "empty", message: "empty" }];
  const answer = {
    status: "failed",
    error_code: "INVALID_TOPOLOGY",
    error_message: "no",
    details: { errors },
  };
  const error = toApiError(400, answer, "Bad Request");
  expect(error.body.message).toBe("no");
  expect(documentErrors(error)).toEqual({ errors, truncated: false });
  expect(teamErrorCode(error)).toBe("INVALID_TOPOLOGY");
  expect(documentErrors(toApiError(502, null, "Bad Gateway")).errors).toEqual([]);
  expect(teamErrorCode(new Error("x"))).toBeNull();
});
