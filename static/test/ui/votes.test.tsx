// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { zh } from "../../src/i18n/zh";
import { sources as sourcesEn } from "../../src/i18n/sources.en";
import { sources as sourcesZh } from "../../src/i18n/sources.zh";
import type { ApprovalRule, Gate } from "../../src/protocol";
import { Store } from "../../src/app/store";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { ruleDraftOf, ruleOf } from "../../src/ui/settings/approvalRuleDraft";
import { ruleText } from "../../src/ui/settings/ruleText";
import {
  isSelected,
  toggleGate,
  votesFor,
  isOutdated,
  withNewGates,
} from "../../src/ui/votes/batchSelection";
import { fieldTime, isComplete, untilOf } from "../../src/ui/votes/delegateDraft";
import { planWithout, toggleItem, excludedItems } from "../../src/ui/votes/planSelection";
import { VoteErrors } from "../../src/ui/votes/VoteErrors";
import { log, SESSION, welcome, joinedAll } from "../state/log";
import { render } from "../support/screen";

const format = { list: (names: readonly string[]) => names.join(", ") };

const rule: ApprovalRule = {
  gate: "tool",
  quorum: { kind: "weighted", n: 3, weights: { owner: 2, member: 1, reviewer: 1, bot: 1 } },
  bots: true,
  escalation: [{ after_seconds: 90, quorum: { kind: "role", role: "owner" } }],
  deadline_seconds: 1,
  at_deadline: "expired",
};

describe("a rule with bots, weights, steps and a deadline", () => {
  it("is unchanged by its form fields", () => {
    expect(ruleOf(ruleDraftOf(rule, 0))).toEqual(rule);
  });

  it("has its steps in chronological order", () => {
    const draft = ruleDraftOf(rule, 0);
    const [step] = draft.times.steps;
    draft.times.steps = [{ ...step!, minutes: "3", key: 1 }, step!];
    expect(ruleOf(draft).escalation?.map((one) => one.after_seconds)).toEqual([90, 180]);
  });

  it("is one line in both languages", () => {
    expect(ruleText(rule, en, sourcesEn, format)).toBe(
      "Tool call: Approvals with a weight of 3 needed (owner 2) · Bots vote too · " +
        "after 90 s: One vote from the role owner decides · fails after 1 s",
    );
    expect(
      ruleText({ ...rule, deadline_seconds: null, at_deadline: "approved" }, zh, sourcesZh, format),
    ).toBe(
      "工具调用：同意票权重合计须达到 3（所有者 2） · 机器人也可投票 · 90 秒后：由所有者的一票决定 · 到期无人反对则视为同意",
    );
  });
});

describe("the selected calls of a batch", () => {
  const gate = (id: string, risk: Gate["risk"], rev = 1) => ({ id, risk, rev }) as Gate;
  const [low, high] = [gate("g_1", "low"), gate("g_2", "high")];

  it("are set for calls of low risk, and stay unchanged when more calls arrive", () => {
    const selection = withNewGates(toggleGate(withNewGates({}, [low]), low), [low, high]);
    expect([isSelected(selection, low), isSelected(selection, high)]).toEqual([false, false]);
    expect(isSelected(withNewGates({}, [low]), low)).toBe(true);
  });

  it("are cleared when the call changes, until it is selected again", () => {
    const changed = { ...low, rev: 2 };
    const selection = withNewGates({}, [low]);
    expect([isSelected(selection, changed), isOutdated(selection, changed)]).toEqual([false, true]);
    const again = toggleGate(selection, changed);
    expect([isSelected(again, changed), isOutdated(again, changed)]).toEqual([true, false]);
    expect(isOutdated(toggleGate(again, changed), changed)).toBe(false);
  });

  it("are votes for the revisions on screen", () => {
    expect(votesFor([low, { ...high, rev: 3 }], "reject")).toEqual([
      { gate: "g_1", rev: 1, choice: "reject" },
      { gate: "g_2", rev: 3, choice: "reject" },
    ]);
  });
});

describe("the selected items of a plan", () => {
  const items = [
    { action: "a", state: "completed" as const },
    { action: "b" },
    { action: "c", state: "not_started" as const },
  ];
  const actions = (off: number[]) => planWithout({ items }, off)?.items.map(({ action }) => action);

  it("leave out the others, and are at least one", () => {
    expect(toggleItem(toggleItem([], 1), 2)).toEqual([1, 2]);
    expect(toggleItem([1, 2], 1)).toEqual([2]);
    expect(actions([1])).toEqual(["a", "c"]);
    expect(actions([1, 2])).toBeUndefined();
  });

  it("are for one revision", () => {
    const selection = { rev: 1, excluded: [1] };
    expect([excludedItems(selection, 1), excludedItems(selection, 2), excludedItems(null, 1)]).toEqual([
      [1],
      [],
      [],
    ]);
  });
});

describe("a delegation", () => {
  const now = new Date(2026, 10, 25, 15, 0).getTime();
  const draft = { to: "u_1", limit: "time", time: "2026-11-26T09:30" } as const;

  it("ends at the end of today, at a time, or when it is revoked", () => {
    expect(untilOf({ ...draft, limit: "none" }, now)).toBeNull();
    expect(untilOf({ ...draft, limit: "today" }, now)).toBe(new Date(2026, 10, 26).toISOString());
    expect(untilOf(draft, now)).toBe(new Date(2026, 10, 26, 9, 30).toISOString());
    expect(fieldTime(now)).toBe("2026-11-25T15:00");
  });

  it("has a delegate, and lasts at most a year", () => {
    expect(isComplete(draft, now)).toBe(true);
    expect(isComplete({ ...draft, to: "" }, now)).toBe(false);
    for (const time of ["", "2026-11-25T14:59", "2027-11-26T09:30"])
      expect(isComplete({ ...draft, time }, now)).toBe(false);
  });
});

it("a rejected batch names the gate and says why", () => {
  const store = new Store();
  for (const frame of [welcome, joinedAll(24), ...log.slice(0, 24)])
    store.dispatch({ type: "frame", frame, now: 0 });
  const data = { votes: [{ gate: "g_24", rev: 1, choice: "approve" }] };
  const command = { id: "c_9", session: SESSION, do: "vote_batch", data } as never;
  store.dispatch({ type: "command_added", pending: { command, at: 0 } });
  const error = {
    code: "stale_revision",
    message: "it changed",
    retryable: false,
    details: { gate: "g_24" },
  };
  store.dispatch({ type: "command_failed", id: "c_9", error: error as never });
  const { box } = render(
    <ClientContext value={{ store } as Client}>
      <VoteErrors session={SESSION} />
    </ClientContext>,
  );
  expect(box.querySelector('[role="alert"]')?.textContent).toContain(
    "None of these votes counted. Decision needed · Critic Critic is done: It changed",
  );
});
