// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import {
  useDocumentEditing,
  useDocumentValidation,
  type DocumentEditing,
} from "../../src/app/documentEditing";
import { readStoredDraft, removeDraft, useDraftStorage } from "../../src/app/teamDrafts";
import { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { addNode, newDocument, removePart, TEAM } from "../../src/state/teamDocument";
import type { TeamDocument } from "../../src/wire/teams";
import { render } from "../support/screen";

const document = newDocument("T", { model_provider: "p", model_id: "m" });

function editor(saved: TeamDocument | null = document) {
  let editing!: DocumentEditing;
  function Editor() {
    editing = useDocumentEditing(document, saved);
    useDraftStorage("t1", 3, editing.document, editing.changed);
    return null;
  }
  const { rerender } = render(<Editor />);
  return { now: () => editing, rerender, leave: () => rerender(null) };
}

it("counts as changed until it equals the saved version, also after an undo", () => {
  const { now } = editor();
  expect([now().changed, now().undo]).toEqual([false, null]);
  act(() => now().set("/team_name", "U"));
  act(() => now().set("/team_name", "Us"));
  expect(now().changed).toBe(true);
  act(() => now().undo!());
  expect([now().changed, now().document.team_name]).toEqual([false, "T"]);
  act(() => now().redo!());
  expect(now().document.team_name).toBe("Us");
  act(() => now().saved(now().document));
  expect(now().changed).toBe(false);
  expect(editor(null).now().changed).toBe(true);
});

it("selects a newly added part, and the team when that part is gone", () => {
  const { now } = editor();
  act(() => now().apply(addNode));
  expect(now().selected).toBe("/topology/nodes/1");
  act(() => now().undo!());
  expect(now().selected).toBe(TEAM);
  act(() => now().select("/topology/nodes/0/agents/0"));
  act(() => now().apply((before) => removePart(before, "/topology/nodes/0/agents/0")));
  expect(now().selected).toBe("/topology/nodes/0");
});

it("keeps unsaved changes in this browser, but no undone ones", () => {
  vi.useFakeTimers();
  try {
    removeDraft("t1");
    const { now } = editor();
    act(() => now().set("/team_name", "U"));
    expect(readStoredDraft("t1")).toBeNull();
    act(() => vi.advanceTimersByTime(600));
    expect(readStoredDraft("t1")).toMatchObject({ version: 3, document: { team_name: "U" } });
    act(() => now().undo!());
    expect(readStoredDraft("t1")).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it("validates after a pause, and ignores the result for an earlier document", async () => {
  vi.useFakeTimers();
  try {
    const asked: { name: string; answer: (errors: object[]) => void }[] = [];
    vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
      const name = (JSON.parse(body) as TeamDocument).team_name;
      return new Promise<Response>((resolve) => {
        const answer = (errors: object[]) =>
          resolve(
            new Response(JSON.stringify({ error_message: "no", details: { errors } }), {
              status: errors.length > 0 ? 400 : 200,
            }),
          );
        asked.push({ name, answer });
      });
    });
    const client = new Client("ws://localhost");
    client.store.dispatch({ type: "connection_changed", connection: { phase: "live" } as never });
    let shown!: ReturnType<typeof useDocumentValidation>;
    function Check({ name }: { name: string }) {
      const [one] = [named(name)];
      shown = useDocumentValidation(one);
      return null;
    }
    const all = new Map<string, TeamDocument>();
    const named = (name: string) => {
      if (!all.has(name)) all.set(name, { ...document, team_name: name });
      return all.get(name)!;
    };
    const page = (name: string) => (
      <ClientContext value={client}>
        <Check name={name} />
      </ClientContext>
    );
    const { rerender } = render(page("a"));
    rerender(page("ab"));
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(asked.map((one) => one.name)).toEqual(["ab"]);
    rerender(page("abc"));
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(asked.map((one) => one.name)).toEqual(["ab", "abc"]);
    const error = { pointer: "/team_name", code: "x", message: "no" };
    await act(async () => asked[1]!.answer([error]));
    await act(async () => asked[0]!.answer([]));
    expect(shown).toMatchObject({ errors: [error], busy: false, truncated: false });
    rerender(page("abcd"));
    expect(shown).toMatchObject({ errors: [error], busy: true });
  } finally {
    vi.useRealTimers();
  }
});

it("retries if the server could not validate, and shows a request error as an error of the team", async () => {
  vi.useFakeTimers();
  try {
    const answers = [
      { status: 429, body: { code: "rate_limited", error_message: "later", retryable: true } },
      { status: 413, body: { code: "too_large", error_message: "too large", retryable: false } },
    ];
    vi.stubGlobal("fetch", async () => {
      const { status, body } = answers.shift()!;
      return new Response(JSON.stringify(body), { status });
    });
    const client = new Client("ws://localhost");
    client.store.dispatch({ type: "connection_changed", connection: { phase: "live" } as never });
    let shown!: ReturnType<typeof useDocumentValidation>;
    function Check() {
      shown = useDocumentValidation(document);
      return null;
    }
    render(
      <ClientContext value={client}>
        <Check />
      </ClientContext>,
    );
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(shown).toMatchObject({ errors: null, busy: true });
    await act(() => vi.advanceTimersByTimeAsync(3000));
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(shown).toMatchObject({ errors: [{ pointer: "", message: "too large" }], busy: false });
  } finally {
    vi.useRealTimers();
  }
});
