// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { LocaleProvider } from "../../src/i18n/locale";
import { CompareExecutions } from "../../src/ui/teams/executions/CompareExecutions";
import { ExecutionControls } from "../../src/ui/teams/executions/ExecutionControls";
import { ExecutionList } from "../../src/ui/teams/executions/ExecutionList";
import { ExecutionView } from "../../src/ui/teams/executions/ExecutionView";
import { StructuredOutputForm } from "../../src/ui/teams/executions/StructuredOutputForm";
import { TeamActions } from "../../src/ui/teams/TeamActions";
import { RunDialog } from "../../src/ui/teams/RunDialog";
import type { StoredTeam } from "../../src/wire/teams";
import { render } from "../support/screen";
import { storedOutput } from "../support/structuredOutput";

const A = "00000000-0000-4000-8000-00000000000a";
const B = "00000000-0000-4000-8000-00000000000b";

interface Sent {
  method: string;
  path: string;
  body: Record<string, unknown> | null;
  headers: Record<string, string>;
}

let sent: Sent[];
let answers: (request: Sent) => Response;
const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  sent = [];
  vi.stubGlobal("fetch", async (path: string, { method, body, headers }: RequestInit) => {
    const request = {
      method: method!,
      path,
      body: body ? (JSON.parse(body as string) as Sent["body"]) : null,
      headers: headers as Record<string, string>,
    };
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
  const { box } = render(
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
  team_version: 3,
  title: `Task ${id.at(-1)}`,
  status: "success",
  started_at: "2026-01-01T00:00:00.000Z",
  duration_ms: 2500,
  error_code: null,
  error_message: null,
  ...more,
});
const work = {
  messages: 1,
  tool_calls: 0,
  errors: 0,
  input_tokens: 1200,
  output_tokens: 30,
  cost_micros: 1500,
  model_ms: 2000,
  tool_ms: 0,
};
/** The response for the execution in the path, whose node ends in this state. */
function answerWith(path: string, state: string, more: object = {}): Response {
  if (path.includes("/log")) return json({ events: log(state), head: 6 });
  if (path.includes("/metrics")) {
    const agents = [{ node_id: "db", agent_id: "one", ...work, errors: 1 }];
    return json({ total: work, nodes: [{ node_id: "db", ...work }], agents });
  }
  const result = { summary: "It worked.", node_results: [{ node_id: "db", status: "success", output: "" }] };
  const input = { task: "Look\nat it", context: { host: "web-1" }, timeout_seconds: 60 };
  const lists = { errors: [], structured_outputs: [] };
  return json({ ...entry(path.includes(B) ? B : A), result, input, ...lists, ...more });
}

const team = {
  agents: [{ id: "db/one", name: "Locks", role: "worker", node: "db" }],
  topology: { nodes: [{ id: "db", name: "Database", type: "x" }] },
};
const frame = (seq: number, event: string, data: object) => ({
  seq,
  event,
  data: { run: "r_2", ...data },
  at: `2026-01-01T00:00:0${seq}.000Z`,
});
const log = (state: string) => [
  frame(1, "session.created", { team }),
  frame(2, "run.started", {}),
  frame(3, "plan.item_changed", { number: 1, state: "in_progress" }),
  frame(6, "plan.item_changed", { number: 1, state }),
];

it("compares the two most recently selected executions", async () => {
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

it("cancels a running execution, and reloads the list", async () => {
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

it("pages through the list, and restarts at the first page for another status", async () => {
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
  answers = ({ path }) => {
    const second = path.includes(B) || path.includes(B.replaceAll("-", ""));
    const result = { summary: "It failed.", node_results: [] };
    return second ? answerWith(path, "blocked", { result }) : answerWith(path, "completed");
  };
  const box = await open(<CompareExecutions left={A} right={B} />);
  const [left, right] = box.querySelectorAll(".compare-side");
  expect(left!.textContent).toContain("It worked.");
  expect(right!.textContent).toContain("It failed.");
  expect(left!.querySelector(".execution-path")!.textContent).toMatch(/Database\s+done/);
  const row = box.querySelector("tbody tr")!;
  expect(row.className).toBe("differs");
  expect([...row.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual([
    " done3s1,230 tokens$0.0015",
    " failed3s1,230 tokens$0.0015",
  ]);
});

it("requests structured output, and shows its raw text and the reason of a failure", async () => {
  const onStored = vi.fn();
  const form = <StructuredOutputForm team="t1" execution={A} running={false} onStored={onStored} />;
  const box = await open(form);
  const schema = box.querySelector("textarea");
  write(schema, "{");
  expect(named(box, "Generate")!.disabled).toBe(true);
  write(schema, '{"type":"object"}');
  answers = () => json({ error_code: "SCHEMA_GENERATION_FAILED", error_message: "no output matches" }, 422);
  await click(named(box, "Generate"));
  expect(sent[0]!.body).toEqual({
    execution_id: A,
    output_schema: { type: "object" },
    include_raw_output: false,
  });
  expect(box.querySelector('[role="alert"]')!.textContent).toContain("No output matches");
  // The failed output is stored too.
  expect(onStored).toHaveBeenCalledTimes(1);

  answers = () => json({ structured_output: { a: [1] }, raw_output: "raw" });
  await click(box.querySelector('input[type="checkbox"]'));
  await click(named(box, "Generate"));
  expect(sent[1]!.body).toMatchObject({ include_raw_output: true });
  expect(onStored).toHaveBeenCalledTimes(2);
  expect(box.querySelector("details")!.textContent).toContain("raw");
  expect(box.querySelector('[role="alert"]')).toBeNull();
});

it("waits for the end of an execution before it generates", async () => {
  const box = await open(<StructuredOutputForm team="t1" execution={A} running onStored={() => undefined} />);
  expect(named(box, "Generate")!.disabled).toBe(true);
});

const stored = (template: string) =>
  ({
    team: { team_id: "t1", name: "T", version: 4, timeout_seconds: 300 },
    document: { topology: { nodes: [{ agents: [{ user_prompt_template: template }] }] } },
  }) as unknown as StoredTeam;

it("starts an execution with the context that its templates need, and opens its session", async () => {
  answers = ({ path }) =>
    path.endsWith("/execute")
      ? new Response(new ReadableStream(), { headers: { location: `/api/v1/executions/${A}` } })
      : json({ sessions: [] });
  const onClose = vi.fn();
  const box = await open(<RunDialog stored={stored("{context.host}")} unsaved onClose={onClose} />);
  expect(box.textContent).toContain("version 4 is run");
  const start = box.querySelector<HTMLButtonElement>("button[type=submit]")!;
  expect(start.disabled).toBe(true);
  write(box.querySelector("[name=task]"), " Find out ");
  const context = box.querySelector<HTMLTextAreaElement>("[name=context]")!;
  expect(JSON.parse(context.value)).toEqual({ host: "" });
  write(context, "[]");
  expect([start.disabled, box.querySelector(".form-error")!.textContent]).toEqual([
    true,
    "This is not a JSON object yet.",
  ]);
  write(context, '{"place": 1}');
  expect(box.querySelector(".form-error")!.textContent).toBe("Missing: host");
  write(context, '{"host": "web-1"}');
  await click(start);
  expect(sent[0]).toMatchObject({
    path: "/api/v1/teams/t1/execute",
    body: { input: { task: "Find out", context: { host: "web-1" } }, stream: true },
  });
  expect(onClose).toHaveBeenCalled();
  expect(location.pathname).toBe(`/s/s_${A.replaceAll("-", "")}/graph`);
});

it("says why an execution could not start, and retries the same request under the same key", async () => {
  answers = () => json({ error_code: "TEAM_INACTIVE", error_message: "the team is switched off" }, 409);
  const box = await open(<RunDialog stored={stored("{task}")} unsaved={false} onClose={() => undefined} />);
  write(box.querySelector("[name=task]"), "Find out");
  const start = box.querySelector("button[type=submit]");
  await click(start);
  expect(box.querySelector('[role="alert"]')!.textContent).toContain("The team is switched off");
  await click(start);
  write(box.querySelector("[name=task]"), "Find out more");
  await click(start);
  const [first, second, third] = sent.map(({ headers }) => headers["idempotency-key"]);
  expect(first).toBeTruthy();
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

it("shows input, result, errors and metrics of an execution, and links to its session", async () => {
  const errors = [
    {
      timestamp: "2026-01-01T00:00:05.000Z",
      node_id: "db",
      agent_id: "one",
      supervisor_id: null,
      error_code: "MODEL_UNAVAILABLE",
      error_message: "the model does not answer",
      fatal: true,
    },
  ];
  answers = ({ path }) =>
    path.startsWith("/api/v1/teams")
      ? json({ right: "read" })
      : answerWith(path, "completed", {
          status: "failed",
          error_message: "it failed",
          errors,
          structured_outputs: [storedOutput(10, "running"), storedOutput(20, "valid")],
        });
  const box = await open(<ExecutionView team="t1" execution={A} />);
  expect(box.querySelector(".execution-task")!.textContent).toBe("Look\nat it");
  expect(box.querySelector(".json-block")!.textContent).toContain('"host": "web-1"');
  expect(box.querySelector(".execution-result")!.textContent).toMatch(
    /It failed.*It worked\.[^]*Database\s+done/,
  );
  expect(box.querySelector(".execution-errors")!.textContent).toMatch(
    /Database · Locks.*MODEL_UNAVAILABLE.*ended the execution.*The model does not answer/,
  );
  expect(box.querySelector(".execution-path")!.textContent).toBe("Database  done Time: 3s");
  const rows = [...box.querySelectorAll(".metrics tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
  expect(rows).toEqual([
    ["Database", "2s", "", "1,200", "30", "$0.0015", "0"],
    ["Locks", "2s", "", "1,200", "30", "$0.0015", "1"],
  ]);
  const session = `/s/s_${A.replaceAll("-", "")}`;
  expect([...box.querySelectorAll("a.button")].map((link) => link.getAttribute("href"))).toEqual([
    session,
    `${session}/graph`,
  ]);
  const outputs = [...box.querySelectorAll(".stored-outputs > li")];
  expect(outputs.map((item) => item.getAttribute("data-status"))).toEqual(["valid", "running"]);
  // I can only read the team.
  expect(box.querySelector(".structured")).toBeNull();
  expect(box.querySelector(".execution-controls")).toBeNull();
});

it("pauses, resumes and cancels, and shows the reason why the execution waits", async () => {
  answers = () => json({ execution_id: A, seq: 9 });
  const onChanged = vi.fn();
  const box = await open(<ExecutionControls execution={A} phase="executing" onChanged={onChanged} />);
  await click(named(box, "Pause"));
  expect(sent[0]!.path).toBe(`/api/v1/executions/${A}/pause`);
  expect(onChanged).toHaveBeenCalled();
  expect(box.querySelector('[role="status"]')!.textContent).toBe("It pauses as soon as possible.");
  expect(named(box, "Pause")!.disabled).toBe(true);
  await click(named(box, "Cancel"));
  await click(named(box, "Cancel it"));
  expect(sent[1]!.path).toBe(`/api/v1/executions/${A}/cancel`);
  expect(named(box, "Cancel")!.disabled).toBe(true);

  const paused = await open(<ExecutionControls execution={A} phase="paused" onChanged={onChanged} />);
  answers = () => json({ error_code: "FORBIDDEN", error_message: "you cannot control it" }, 403);
  await click(named(paused, "Resume"));
  expect(sent[2]!.path).toBe(`/api/v1/executions/${A}/resume`);
  expect(paused.querySelector('[role="alert"]')!.textContent).toContain("You cannot control it");
});

it("offers to cancel the executions of a team that it cannot delete, and names those that still run", async () => {
  answers = ({ path }) =>
    json(
      {
        error_code: "TEAM_BUSY",
        error_message: path.endsWith("?cancel=true") ? "ask its people" : "it is busy",
      },
      409,
    );
  const busy = { team_id: "t1", name: "T", manages: true, right: "edit", status: "active" } as never;
  const box = await open(<TeamActions team={busy} onChanged={() => undefined} onDeleted={() => undefined} />);
  await click(box.querySelector('[aria-label="Delete T"]'));
  await click(named(box, "Delete it"));
  expect(box.querySelector('[role="alert"]')!.textContent).toContain("An execution of this team is running");
  await click(named(box, "Cancel it and delete"));
  expect(box.querySelector('[role="alert"]')!.textContent).toContain("Ask its people");
  expect(sent.map(({ path }) => path)).toEqual(["/api/v1/teams/t1", "/api/v1/teams/t1?cancel=true"]);
});
