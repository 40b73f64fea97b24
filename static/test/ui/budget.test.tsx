// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { Store } from "../../src/app/store";
import type { Budget, Gate, ServerFrame } from "../../src/protocol";
import { BudgetButtons } from "../../src/ui/budget/BudgetButtons";
import { BudgetList } from "../../src/ui/budget/BudgetList";
import { BudgetSubject } from "../../src/ui/budget/BudgetSubject";
import { SubjectEditor } from "../../src/ui/gates/SubjectEditor";
import { RevisionNotice } from "../../src/ui/gates/SubjectDiff";
import { actionLabels } from "../../src/ui/gates/gateText";
import { gate as gateTexts } from "../../src/i18n/gate.en";
import { work } from "../../src/i18n/work.en";
import { manage } from "../../src/wire/manage";
import { ann, bob, joinedAll, log, SESSION, system, welcome } from "../state/log";
import { render } from "../support/screen";

/** Events before any gate; the budget follows them. */
const BEFORE = log.slice(0, 8);
const SEQ = BEFORE.length;

const gate: Gate = {
  id: "g_50",
  run: "r_5",
  kind: "budget",
  prompt: "The budget of the session is spent",
  rev: 1,
  quorum: { kind: "any" },
  eligible: ["owner", "reviewer"],
  agents: [],
  allow: ["approve", "edit", "reject"],
  budget: { max_tokens: 2000 },
  subject: { kind: "run", id: "r_5", rev: 1, digest: "d" },
  votes: [],
  opened_at: "2026-11-21T22:01:00.000Z",
} as unknown as Gate;

let client: Client;
const vote = vi.fn();
const set = vi.spyOn(manage, "set").mockResolvedValue(null);

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  vote.mockClear();
  set.mockClear();
  client = { store: new Store(), vote, signalEditing: () => undefined } as unknown as Client;
  dispatch(welcome, joinedAll(SEQ), ...BEFORE);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function dispatch(...frames: ServerFrame[]): void {
  act(() => {
    for (const frame of frames) client.store.dispatch({ type: "frame", frame, now: Date.now() });
    client.store.flush();
  });
}

let seq = SEQ;
function happened(event: string, data: object, by = system): void {
  seq += 1;
  const at = "2026-11-21T22:01:00.000Z";
  dispatch({ type: "event", session: SESSION, seq, at, by, event, data } as unknown as ServerFrame);
}

beforeEach(() => {
  seq = SEQ;
});

const setBudget = (budget: Budget | null) =>
  happened("session.updated", { settings: { ...session().settings, budget }, changed: ["budget"] }, ann);
const session = () => client.store.get().sessions[SESSION]!;
const openGate = () => session().gates.find((one) => one.id === gate.id)!;
const draw = (part: ReactNode) => render(<ClientContext value={client}>{part}</ClientContext>).box;
const named = (box: HTMLElement, name: string) =>
  [...box.querySelectorAll("button")].find(
    (one) => one.textContent?.includes(name) || one.getAttribute("aria-label")?.includes(name),
  );
const click = (element: HTMLElement | undefined) => act(async () => element!.click());
const differences = (box: HTMLElement) =>
  [...box.querySelectorAll("[data-testid=budget-diff] tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );

describe("the limits of a session", () => {
  it("are listed, removed with one click, and restored without what changed since then", async () => {
    const budget = { max_tokens: 1000, max_cost_micros: 2_000_000, max_turn_tokens: 20_000 };
    setBudget(budget);
    const box = draw(<BudgetList session={SESSION} />);
    expect([...box.querySelectorAll("[role=meter]")].map((one) => one.getAttribute("aria-label"))).toEqual([
      "Tokens",
      "Cost",
    ]);
    expect(box.textContent).toContain("at most 20,000 tokens");
    await click(named(box, "Remove the limit: Tokens"));
    const { max_tokens: _, ...rest } = budget;
    expect(set).toHaveBeenCalledExactlyOnceWith(SESSION, { budget: rest });
    // Somebody else changes the other limit before the undo.
    setBudget({ ...rest, max_cost_micros: 9_000_000 });
    expect(box.textContent).toContain("Limit removed: Tokens, 1,000");
    await click(named(box, "Undo"));
    expect(set).toHaveBeenLastCalledWith(SESSION, {
      budget: { ...rest, max_cost_micros: 9_000_000, max_tokens: 1000 },
    });
    setBudget({ ...budget, max_cost_micros: 9_000_000 });
    expect(named(box, "Undo")).toBeUndefined();
  });

  it("end with the last one, which leaves no budget, and can still be restored", async () => {
    setBudget({ max_tokens: 1000 });
    const box = draw(<BudgetList session={SESSION} />);
    await click(named(box, "Remove the limit: Tokens"));
    expect(set).toHaveBeenCalledExactlyOnceWith(SESSION, { budget: null });
    setBudget(null);
    await click(named(box, "Undo"));
    expect(set).toHaveBeenLastCalledWith(SESSION, { budget: { max_tokens: 1000 } });
  });
});

describe("a gate about a budget", () => {
  beforeEach(() => {
    setBudget({ max_tokens: 1000 });
    happened("gate.opened", { gate });
  });

  it("says what an approval changes, on its button and as a difference", () => {
    const texts = { gate: gateTexts, work } as unknown as Parameters<typeof actionLabels>[1];
    const unused = () => undefined;
    const box = draw(
      <>
        <BudgetSubject session={SESSION} gate={openGate()} editing={false} />
        <BudgetButtons
          session={SESSION}
          gate={openGate()}
          labels={actionLabels(gate, texts)}
          chosen={null}
          disabled={false}
          feedbackFirst={false}
          approvable
          onApprove={unused}
          onAbstain={unused}
          onMode={unused}
          onCheaper={unused}
        />
      </>,
    );
    expect(differences(box)).toEqual([["Tokens", "1,000", "→ 2,000"]]);
    expect(named(box, "Raise the budget to 2,000 tokens")).toBeDefined();
    expect(named(box, "Finish with what is there")).toBeDefined();
    expect(named(box, "Use a cheaper model"), "no model is cheaper").toBeUndefined();
  });

  it("shows the difference before an edited limit is confirmed", async () => {
    const sendState = { busy: false, failed: false };
    const part = () => (
      <SubjectEditor
        session={SESSION}
        gate={openGate()}
        sendState={sendState}
        isVisible
        onClose={() => undefined}
      >
        {null}
      </SubjectEditor>
    );
    const box = draw(part());
    await vi.waitFor(() => expect(box.querySelector("[name=max_tokens]")).not.toBeNull());
    const field = box.querySelector<HTMLInputElement>("[name=max_tokens]")!;
    act(() => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(field, "50000");
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
    expect(differences(box)).toEqual([["Tokens", "1,000", "→ 50,000"]]);
    await click(named(box, "Approve with these changes"));
    expect(vote).toHaveBeenCalledExactlyOnceWith(SESSION, expect.objectContaining({ rev: 1 }), "approve", {
      edit: { max_tokens: 50_000 },
    });
  });

  it("shows other voters what somebody else has changed in the proposal", async () => {
    happened(
      "gate.revised",
      { gate: gate.id, rev: 2, digest: "e", budget: { max_tokens: 50_000 }, model: "hand/small" },
      bob,
    );
    const box = draw(<RevisionNotice session={SESSION} gate={openGate()} />);
    await vi.waitFor(() =>
      expect(differences(box)).toEqual([
        ["Tokens", "2,000", "→ 50,000"],
        ["Model", "As set by the team", "→ hand/small"],
      ]),
    );
    expect(box.textContent).toContain("Bob");
  });
});
