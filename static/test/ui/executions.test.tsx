// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { LocaleProvider } from "../../src/i18n/locale";
import { CompareExecutions } from "../../src/ui/teams/executions/CompareExecutions";
import { ExecutionList } from "../../src/ui/teams/executions/ExecutionList";
import { StructuredOutputForm } from "../../src/ui/teams/executions/StructuredOutputForm";
import { RunDialog } from "../../src/ui/teams/RunDialog";
import { draw } from "../support/screen";

const A = "00000000-0000-4000-8000-00000000000a";
const B = "00000000-0000-4000-8000-00000000000b";

interface Sent {
  method: string;
  path: string;
  body: Record<string, unknown> | null;
}

let sent: Sent[];
let answers: (request: Sent) => Response;
const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  sent = [];
  vi.stubGlobal("fetch", async (path: string, { method, body }: { method: string; body?: string }) => {
    const request = { method, path, body: body ? (JSON.parse(body) as Sent["body"]) : null };
    sent.push(request);
    return answers(request);
  });
});

async function open(part: ReactNode) {
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function () {
    this.open = false;
  };
  Object.assign(window, {
    matchMedia: () => ({ matches: false, addEventListener() {}, removeEventListener() {} }),
  });
  const client = new Client("ws://localhost");
  client.store.dispatch({ type: "connection_changed", connection: { phase: "live" } as never });
  const { box } = draw(
    <LocaleProvider>
      <ClientContext value={client}>{part}</ClientContext>
    </LocaleProvider>,
  );
  await settle();
  return box;
}

const settle = () => act(async () => void (await new Promise((done) => setTimeout(done, 0))));
const click = async (element: Element | null | undefined) => {
  act(() => (element as HTMLElement).click());
  await settle();
};
const named = (box: HTMLElement, text: string) =>
  [...box.querySelectorAll("button")].find((one) => one.textContent.trim() === text);
const write = (field: Element | null, text: string) =>
  act(() => {
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")!.set!.call(field, text);
    field!.dispatchEvent(new Event("input", { bubbles: true }));
  });

const entry = (id: string, more: object = {}) => ({
  execution_id: id,
  team_id: "t1",
  status: "success",
  started_at: "2026-01-01T00:00:00.000Z",
  duration_ms: 2500,
  input: { task: `Task ${id.at(-1)}` },
  ...more,
});

it("compares the two executions that were chosen last", async () => {
  const C = "00000000-0000-4000-8000-00000000000c";
  answers = () => json({ executions: [entry(A), entry(B), entry(C)], page: 1, size: 20, total: 3 });
  const box = await open(<ExecutionList team="t1" />);
  const checks = box.querySelectorAll<HTMLInputElement>("input[type=checkbox]");
  const compare = named(box, "Compare")!;
  await click(checks[0]);
  expect(compare.disabled).toBe(true);
  await click(checks[1]);
  await click(checks[2]);
  expect([...checks].map((one) => one.checked)).toEqual([false, true, true]);
  await click(compare);
  expect(location.pathname).toBe(`/teams/t1/executions/${B}/${C}`);
});

it("cancels an execution that is running, and reads the list again", async () => {
  answers = ({ method }) =>
    method === "POST"
      ? json({})
      : json({ executions: [entry(A, { status: "running" })], page: 1, size: 20, total: 1 });
  const box = await open(<ExecutionList team="t1" />);
  await click(box.querySelector('[aria-label="Cancel: Task a"]'));
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /api/v1/teams/t1/executions?page=1&size=20",
    `POST /api/v1/executions/${A}/cancel`,
    "GET /api/v1/teams/t1/executions?page=1&size=20",
  ]);
});

it("turns pages, and starts at the first one for another status", async () => {
  answers = () => json({ executions: [entry(A)], page: 1, size: 20, total: 45 });
  const box = await open(<ExecutionList team="t1" />);
  await click(named(box, "Older"));
  await click(named(box, "Older"));
  expect(named(box, "Older")!.disabled).toBe(true);
  const select = box.querySelector("select")!;
  act(() => {
    select.value = "failed";
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await settle();
  expect(sent.map(({ path }) => path.split("?")[1])).toEqual([
    "page=1&size=20",
    "page=2&size=20",
    "page=3&size=20",
    "page=1&size=20&status=failed",
  ]);
});

it("shows result, path, time and cost of two executions, and where they differ", async () => {
  const team = {
    agents: [{ id: "db/one", node: "db" }],
    topology: { nodes: [{ id: "db", name: "Database", type: "x" }] },
  };
  const frame = (seq: number, event: string, data: object) => ({
    seq,
    event,
    data,
    at: `2026-01-01T00:00:0${seq}.000Z`,
  });
  const log = (end: string) => [
    frame(1, "session.created", { team }),
    frame(2, "plan.item_changed", { number: 1, state: "in_progress" }),
    frame(3, "usage.recorded", { agent: "db/one", cost_micros: 1500, input_tokens: 1, output_tokens: 1 }),
    frame(5, "plan.item_changed", { number: 1, state: end }),
  ];
  answers = ({ path }) => {
    const second = path.includes(B) || path.includes(B.replaceAll("-", ""));
    if (path.includes("/log")) return json({ events: log(second ? "blocked" : "completed"), head: 5 });
    const summary = second ? "It failed." : "It worked.";
    return json({ ...entry(second ? B : A), result: { summary, node_results: [] } });
  };
  const box = await open(<CompareExecutions left={A} right={B} />);
  const [left, right] = box.querySelectorAll(".compare-side");
  expect(left!.textContent).toContain("It worked.");
  expect(right!.textContent).toContain("It failed.");
  expect(left!.querySelector(".compare-path")!.textContent).toMatch(/Database\s+done/);
  const row = box.querySelector("tbody tr")!;
  expect(row.className).toBe("differs");
  expect([...row.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual([
    " done3s$0.0015",
    " failed3s$0.0015",
  ]);
});

it("shows errors of structured output at their paths, and then the output", async () => {
  const box = await open(<StructuredOutputForm team="t1" execution={A} running={false} />);
  const schema = box.querySelector("textarea");
  write(schema, "{");
  expect(named(box, "Generate")!.disabled).toBe(true);
  write(schema, '{"type":"object"}');
  answers = () =>
    json(
      {
        error_code: "SCHEMA_GENERATION_FAILED",
        error_message: "no output matches",
        schema_validation: { valid: false, errors: [{ path: "$.a[0].b", message: "not a number" }] },
        partial_output: { a: [] },
      },
      422,
    );
  await click(named(box, "Generate"));
  expect(sent[0]!.body).toEqual({
    execution_id: A,
    output_schema: { type: "object" },
    include_raw_output: false,
  });
  expect(box.querySelector(".structured-errors dt")!.textContent).toBe("$.a[0].b");
  expect(box.querySelector(".structured-errors dd")!.textContent).toBe("not a number");
  expect(box.querySelector(".json-block")!.textContent).toContain('"a": []');

  answers = () =>
    json({
      structured_output: { a: [1] },
      schema_validation: { valid: true, errors: [] },
      raw_output: "raw",
    });
  await click(box.querySelector('input[type="checkbox"]'));
  await click(named(box, "Generate"));
  expect(sent[1]!.body).toMatchObject({ include_raw_output: true });
  expect(box.querySelector(".structured-errors")).toBeNull();
  expect(box.querySelector(".structured-result")!.textContent).toContain("raw");
});

it("waits for the end of an execution before it generates", async () => {
  const box = await open(<StructuredOutputForm team="t1" execution={A} running />);
  expect(named(box, "Generate")!.disabled).toBe(true);
});

it("starts an execution with its context, and opens its session as soon as it has an id", async () => {
  const started = `event: execution_start\ndata: {"team_id":"t1","execution_id":"${A}"}\n\n`;
  answers = ({ path }) =>
    path.endsWith("/execute")
      ? new Response(new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(started)) }))
      : json({ sessions: [] });
  const onClose = vi.fn();
  const team = { team_id: "t1", name: "T", version: 4, timeout_seconds: 300 } as never;
  const box = await open(<RunDialog team={team} unsaved onClose={onClose} />);
  expect(box.textContent).toContain("version 4 is run");
  const start = box.querySelector<HTMLButtonElement>("button[type=submit]")!;
  expect(start.disabled).toBe(true);
  write(box.querySelector("[name=task]"), " Find out ");
  await click(named(box, "Add key"));
  write(box.querySelector('[aria-label="Value of key1"]'), "v");
  await click(start);
  expect(sent[0]).toMatchObject({
    path: "/api/v1/teams/t1/execute",
    body: { input: { task: "Find out", context: { key1: "v" } }, stream: true },
  });
  expect(onClose).toHaveBeenCalled();
  expect(location.pathname).toBe(`/s/s_${A.replaceAll("-", "")}/graph`);
});

it("says why an execution could not start", async () => {
  answers = () => json({ error_code: "TEAM_INACTIVE", error_message: "the team is switched off" }, 409);
  const team = { team_id: "t1", name: "T", version: 4, timeout_seconds: 300 } as never;
  const box = await open(<RunDialog team={team} unsaved={false} onClose={() => undefined} />);
  write(box.querySelector("[name=task]"), "Find out");
  await click(box.querySelector("button[type=submit]"));
  expect(box.querySelector('[role="alert"]')!.textContent).toContain("The team is switched off");
});
