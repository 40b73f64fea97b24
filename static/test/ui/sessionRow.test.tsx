// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { emptyApp, emptySession, type AppState, type SessionState } from "../../src/state/model";
import { FilesRow } from "../../src/ui/timeline/NoteRow";
import { SessionRow } from "../../src/ui/sidebar/SessionRow";
import type { File, Message } from "../../src/protocol";
import { render } from "../support/screen";
import { SESSION, writer } from "../state/log";

const around = (app: Partial<AppState>) =>
  ({ store: { get: () => state(app), subscribe: () => () => undefined } }) as unknown as Client;
const states = new WeakMap<object, AppState>();
function state(app: Partial<AppState>): AppState {
  if (!states.has(app)) states.set(app, { ...emptyApp, ...app });
  return states.get(app)!;
}

describe("a session in the list", () => {
  const line = (summary: object, app: Partial<AppState> = {}) => {
    const entry = { session: SESSION, head: 5, title: "Tests", summary };
    const { box } = render(
      <ClientContext value={around(app)}>
        <SessionRow entry={entry} group="rest" hasDuplicateTitle={false} current={false} />
      </ClientContext>,
    );
    return box.querySelector(".session-line")!;
  };
  const summary = "Writer: ## Cases for refunds";

  it.each([
    ["completed", "Finished"],
    ["failed", "Failed"],
    ["cancelled", "Cancelled"],
    ["paused", "Paused"],
  ])("that is %s says so before the last message, with an icon", (phase, word) => {
    const shown = line({ phase, line: summary });
    expect(shown.textContent).toBe(` ${word} · Writer: Cases for refunds`);
    expect(shown.querySelector(".session-state svg")).not.toBeNull();
  });

  it("shows the same when it is open", () => {
    const message: Message = {
      id: "m_3",
      by: writer,
      at: "2026-01-01T00:00:00Z",
      text: `## Cases for refunds ${"of whole words ".repeat(20)}`,
    };
    const session = {
      ...emptySession(SESSION),
      loaded: true,
      seq: 9,
      run: { phase: "completed" } as SessionState["run"],
      messages: [message],
    };
    const shown = line({ phase: "executing", line: "old" }, { sessions: { [SESSION]: session } });
    expect(shown.textContent).toMatch(
      /^ Finished · Writer: Cases for refunds (?:of whole words )+of(?: whole(?: words)?)?…$/,
    );
  });

  it("that has no run yet shows the last message", () => {
    expect(line({ line: summary }).textContent).toBe("Writer: Cases for refunds");
  });
});

it("an added file has one icon", () => {
  const file = {
    id: "f_3",
    name: "a.md",
    by: writer,
    at: "2026-01-01T00:00:00Z",
    version: 1,
    bytes: 3,
  } as File;
  const { box } = render(
    <ClientContext value={around({})}>
      <FilesRow session={SESSION} files={[file]} back={null} />
    </ClientContext>,
  );
  expect(box.querySelectorAll("svg")).toHaveLength(1);
});
