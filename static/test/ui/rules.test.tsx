// @vitest-environment jsdom
import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { Store } from "../../src/app/store";
import type { Gate, RuleSuggestion, ServerFrame } from "../../src/protocol";
import { gateForText, openGates } from "../../src/state/gateSelectors";
import { changedSettings, settingsDraftOf } from "../../src/ui/settings/settingsDraft";
import { PermissionsSection } from "../../src/ui/permissions/PermissionsSection";
import { RuleSubject } from "../../src/ui/rules/RuleSubject";
import { RuleSuggestions } from "../../src/ui/rules/RuleSuggestions";
import { manage } from "../../src/wire/manage";
import { ann, joinedAll, SESSION, welcome } from "../state/log";
import { flowLog } from "../state/flows";
import { eventsAfterGate, granted, permission, sessionAfter } from "../support/permissions";
import { render } from "../support/screen";

const rule: RuleSuggestion = {
  id: "ab12",
  pattern: { agent: "Writer", tool: "put", risk: "medium", rule: "cd34" },
  allowed: 12,
  changed: 1,
  refused: 2,
  undecided: 0,
  allowed_by: [ann.id],
  calls: [
    { call: "t_22", gate: "g_25", outcome: "allowed" },
    { call: "t_3", gate: "g_4", outcome: "refused" },
  ],
};

const gate: Gate = {
  id: "g_90",
  run: "r_5",
  kind: "rule",
  rev: 1,
  prompt: "Should calls like these be made without asking?",
  allow: ["approve", "reject"],
  agents: [],
  quorum: { kind: "any" },
  eligible: ["owner", "member", "reviewer"],
  rule,
  votes: [],
  opened_at: "2026-11-21T22:00:00.000Z",
};

const proposeRule = vi.fn();
let client: Client;

beforeEach(() => {
  proposeRule.mockClear();
  client = { store: new Store(), proposeRule } as unknown as Client;
  const events = [...flowLog.slice(0, 25), ...eventsAfterGate([], ann)];
  for (const frame of [welcome, joinedAll(events.length), ...events] as ServerFrame[])
    client.store.dispatch({ type: "frame", frame, now: Date.now() });
  client.store.flush();
});

describe("a proposed rule", () => {
  it("comes after all other gates, and is not answered by a message", () => {
    const session = sessionAfter([{ event: "gate.opened", data: { gate } }]);
    expect(openGates(session).at(-1)?.id).toBe("g_90");
    const alone = { ...session, gates: session.gates.filter((one) => one.kind === "rule") };
    expect(gateForText(alone)).toBeNull();
  });

  it("shows what it allows, who allowed it, and its effect on past calls, with the refused calls marked", () => {
    const { box } = render(
      <ClientContext value={client}>
        <RuleSubject session={SESSION} rule={rule} />
      </ClientContext>,
    );
    const text = box.textContent ?? "";
    expect(text).toContain("with any arguments, low or medium risk");
    expect(text).toContain("Not for calls caused by messages of guests or text from the web");
    expect(text).toContain("allowed 12 of 15 such calls.");
    expect(text).toContain(
      "As a rule, it would have allowed 2 past calls, 2 of which were refused, 1 of which was edited",
    );
    const calls = [...box.querySelectorAll("li")];
    expect(calls.map((call) => call.dataset.outcome)).toEqual(["allowed", "refused"]);
    expect(calls.map((call) => !!call.querySelector("button"))).toEqual([true, false]);
  });

  it("shows its effect on other sessions when that is opened, and says when there is none", async () => {
    const counts = { allowed: 30, changed: 0, refused: 1, undecided: 0 };
    const forecast = vi.spyOn(manage, "ruleForecast").mockResolvedValue({
      session_count: 3,
      total: counts,
      sessions: [{ session: "s_ab", title: "Night <b>shift", calls: counts }],
    });
    const { box } = render(
      <ClientContext value={client}>
        <RuleSubject session={SESSION} rule={rule} />
      </ClientContext>,
    );
    expect(forecast).not.toHaveBeenCalled();
    const details = box.querySelector<HTMLDetailsElement>('[data-testid="rule-forecast"]')!;
    const toggle = async (open: boolean) => {
      await act(async () => {
        details.open = open;
        details.dispatchEvent(new Event("toggle"));
      });
    };
    await toggle(true);
    expect(forecast).toHaveBeenCalledExactlyOnceWith(SESSION, "ab12");
    expect(details.textContent).toContain(
      "In your 3 other sessions with this team, it would have allowed 31 past calls, 1 of which was refused",
    );
    const link = details.querySelector("a")!;
    expect([link.textContent, link.getAttribute("href")]).toEqual(["Night <b>shift", "/s/s_ab"]);

    forecast.mockResolvedValue({
      session_count: 1,
      total: { allowed: 0, changed: 0, refused: 0, undecided: 0 },
      sessions: [],
    });
    await toggle(false);
    await toggle(true);
    expect(details.textContent).toContain(
      "It would have allowed no past calls in your 1 other session with this team.",
    );
  });

  it("is listed among the permissions once granted", () => {
    const events = [
      ...flowLog.slice(0, 25),
      ...eventsAfterGate([granted(permission("a_26", { rule: "cd34" }))], ann),
    ];
    const store = new Store();
    for (const frame of [welcome, joinedAll(events.length), ...events] as ServerFrame[])
      store.dispatch({ type: "frame", frame, now: Date.now() });
    store.flush();
    const { box } = render(
      <ClientContext value={{ ...client, store } as unknown as Client}>
        <PermissionsSection session={SESSION} />
      </ClientContext>,
    );
    expect(box.textContent).toContain("rule learned from votes");
  });
});

describe("suggested rules", () => {
  it("are proposed with one press", async () => {
    HTMLDialogElement.prototype.showModal ??= () => undefined;
    HTMLDialogElement.prototype.close ??= () => undefined;
    vi.spyOn(manage, "ruleSuggestions").mockResolvedValue({ suggestions: [{ ...rule, declined: true }] });
    const { box } = render(
      <ClientContext value={client}>
        <RuleSuggestions session={SESSION} onClose={() => undefined} />
      </ClientContext>,
    );
    await act(async () => {});
    expect(box.textContent).toContain("Declined or revoked before");
    const propose = [...box.querySelectorAll("button")].find((one) => one.textContent === "Propose")!;
    act(() => propose.click());
    expect(proposeRule).toHaveBeenCalledWith(SESSION, "ab12");
  });
});

describe("settings about learned rules", () => {
  it("are sent only if they change", () => {
    const before = settingsDraftOf({});
    expect(before.learning).toEqual({ mode: "automatic", decisions: "5", people: "2", refused: "10" });
    expect(changedSettings(before, before)).toEqual({});
    const after = { ...before, learning: { ...before.learning, mode: "off" as const } };
    expect(changedSettings(before, after)).toEqual({
      learning: { mode: "off", min_decisions: 5, min_people: 2, max_refused_percent: 10 },
    });
  });
});
