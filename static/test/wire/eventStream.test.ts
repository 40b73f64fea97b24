import { expect, it } from "vitest";
import { readEvents } from "../../src/wire/eventStream";
import { executionOf, sessionOf } from "../../src/wire/executions";
import { documentErrors, teamErrorCode } from "../../src/wire/teams";
import { toApiError } from "../../src/wire/rest";

function streamOf(...chunks: string[]): Response {
  const encoder = new TextEncoder();
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
        controller.close();
      },
    }),
  );
}

async function allOf(response: Response) {
  const events = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

it("reads events across chunks, with comments, line ends of both kinds and several lines of data", async () => {
  const events = await allOf(
    streamOf(
      ": hello\n\nid: 1\nevent: execution_st",
      'art\ndata: {"a":1}\n\n',
      "data: x\r\ndata: y\r\n\r\ndata: cut",
    ),
  );
  expect(events).toEqual([
    { event: "execution_start", data: '{"a":1}' },
    { event: "message", data: "x\ny" },
  ]);
});

it("stops at an event that does not end", async () => {
  const chunk = "data: " + "x".repeat(1024 * 1024);
  expect(await allOf(streamOf(chunk, chunk, chunk, "\n\n"))).toHaveLength(1);
  expect(await allOf(streamOf(...Array<string>(6).fill(chunk)))).toEqual([]);
});

it("knows the session of an execution, and the other way round", () => {
  const execution = "0190f3c0-7a1b-7c3d-8e5f-60718293a4b5";
  expect(sessionOf(execution)).toBe("s_0190f3c07a1b7c3d8e5f60718293a4b5");
  expect(executionOf(sessionOf(execution))).toBe(execution);
});

it("reads the errors of a document in their own notation", () => {
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
