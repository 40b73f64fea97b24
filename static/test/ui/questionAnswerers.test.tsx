// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { Store } from "../../src/app/store";
import type { Actor, Gate, Role, ServerFrame } from "../../src/protocol";
import { GateCard } from "../../src/ui/gates/GateCard";
import { eventsAfterGate } from "../support/permissions";
import { render } from "../support/screen";
import { flowLog } from "../state/flows";
import { ann, bob, joinedAll, SESSION, system, welcome } from "../state/log";

const question: Gate = {
  id: "g_90",
  run: "r_5",
  kind: "question",
  rev: 1,
  prompt: "Which database?",
  allow: ["respond", "reject"],
  agents: [],
  quorum: { kind: "any" },
  eligible: ["reviewer"],
  votes: [],
  opened_at: "2026-11-21T22:00:00.000Z",
};

const joined = { event: "participant.joined" as const };
const isHere = (...here: Actor[]) => ({
  type: "signal",
  name: "presence",
  session: SESSION,
  data: { here, more: 0 },
});

/** The card of the question as Ann sees it, while these people are present. */
function card(bobsRole: Role, ...here: Actor[]): string {
  const store = new Store();
  const events = [
    ...flowLog.slice(0, 25),
    ...eventsAfterGate(
      [
        { ...joined, data: { participant: bob.id, kind: "user", name: bob.name, role: bobsRole } },
        { event: "gate.opened", data: { gate: question } },
      ] as never,
      system,
    ),
  ];
  for (const frame of [welcome, joinedAll(events.length), ...events, isHere(...here)] as ServerFrame[])
    store.dispatch({ type: "frame", frame, now: Date.now() });
  store.flush();
  const { box } = render(
    <ClientContext value={{ store } as unknown as Client}>
      <GateCard session={SESSION} gate={question} shown replaces={false} />
    </ClientContext>,
  );
  return box.querySelector("[data-testid=approvers]")?.textContent ?? "";
}

// jsdom has no media queries.
Object.assign(window, { matchMedia: () => ({ matches: false }) });

describe("a question that I cannot answer", () => {
  it("names the people who can, or whom to ask if none of them is present", () => {
    expect(card("reviewer", ann, bob)).toContain("Can answer: Bob");
    expect(card("reviewer", ann)).toContain("No one who can answer is here. Ask Bob.");
  });

  it("says if nobody in the session can answer", () => {
    expect(card("viewer", ann, bob)).toContain("No one in this session can answer this.");
  });
});
