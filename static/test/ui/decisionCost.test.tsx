// @vitest-environment jsdom
import { describe, expect, it, vi } from "vitest";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { Store } from "../../src/app/store";
import { decisionCost as chinese } from "../../src/i18n/decisionCost.zh";
import { CancelCost, InterruptCost, RewriteCost } from "../../src/ui/run/DecisionCost";
import { GateButtons, rewriteCostId } from "../../src/ui/gates/GateButtons";
import type { EventFrame } from "../../src/wire/frames";
import { joinedAll, log, SESSION, welcome } from "../state/log";
import { render } from "../support/screen";

/** Renders these costs after this number of events and this text of an agent. */
function drawn(events: EventFrame[], message?: { id: string; attempt: number; text: string }) {
  const store = new Store();
  const frames = [welcome, joinedAll(events.length), ...events];
  for (const frame of frames) store.dispatch({ type: "frame", frame, now: 0 });
  if (message) {
    const { id, attempt, text } = message;
    const delta = { type: "delta", session: SESSION, message: id, attempt, at: 0, text };
    store.dispatch({ type: "frame", frame: delta as never, now: 0 });
  }
  store.flush();
  const gate = store.get().sessions[SESSION]!.gates.at(-1);
  const { box } = render(
    <ClientContext value={{ store } as unknown as Client}>
      <InterruptCost session={SESSION} id="interrupt-cost" />
      <CancelCost session={SESSION} />
      {gate && <RewriteCost session={SESSION} gate={gate} id={rewriteCostId(gate)} />}
    </ClientContext>,
  );
  return box;
}

const price = (box: HTMLElement, action: string) =>
  box.querySelector(`[data-testid="${action}-cost"]`)?.textContent;

describe("the prices of decisions", () => {
  it("of an interrupt and of a cancel are those of the unfinished text", () => {
    const box = drawn(log.slice(0, 8), { id: "m_7", attempt: 1, text: "word".repeat(1234) });
    expect(price(box, "interrupt")).toBe("Interrupting discards about 1,200 tokens");
    expect(price(box, "cancel")).toBe("Ending the run discards about 1,200 tokens of unfinished text");
  });

  it("are not shown while nothing is known", () => {
    expect(drawn(log.slice(0, 8)).textContent, "nothing is written yet").toBe("");
    expect(drawn(log.slice(0, 25)).textContent, "the gate opened because of an interrupt").toBe("");
  });

  it("of another version is the usage of this one", () => {
    const events = log.slice(0, 25).filter(({ event }) => !event.startsWith("control."));
    const renumbered = events.map((event, i) => ({ ...event, seq: i + 1 }));
    expect(price(drawn(renumbered), "rewrite")).toMatch(
      /^Another version uses about 140 tokens \(.*0\.000012\), as this one did$/,
    );
    expect(chinese.rewrite("140", "$0.01")).toBe("重写约需 140 个 token（$0.01），与这一版相当");
    expect(chinese.cancel("140", null)).toBe("结束运行将丢弃尚未写完的约 140 个 token");
  });

  it("of another version describes the button that rejects this one", () => {
    const gate = { id: "g_24", kind: "feedback", allow: ["approve", "reject"], quorum: { kind: "any" } };
    const props = {
      gate: gate as never,
      labels: { approve: "Approve", edit: "Edit", reject: "Reject" } as never,
      feedbackFirst: false,
      chosen: null,
      disabled: false,
      approvable: true,
      onApprove: vi.fn(),
      onAbstain: vi.fn(),
      onMode: vi.fn(),
    };
    const { box } = render(<GateButtons {...props} />);
    expect(box.querySelector(".danger")?.getAttribute("aria-describedby")).toBe(rewriteCostId(props.gate));
  });
});
