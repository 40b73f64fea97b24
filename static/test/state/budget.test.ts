import { describe, expect, it } from "vitest";
import type { Gate, Team, UsageTotals } from "../../src/protocol";
import {
  budgetChanges,
  budgetUses,
  cheaperModels,
  modelsInUse,
  proposedTerms,
  turnsWithin,
  withLimitOf,
  withoutLimit,
} from "../../src/state/budget";
import { budgetDraftOf, budgetOf, limitOf } from "../../src/ui/budget/budgetDraft";
import { changedSettings, settingsDraftOf } from "../../src/ui/settings/settingsDraft";

function totals(of: string, turns: number, tokens: number, cost_micros: number): UsageTotals {
  return { of, turns, input_tokens: tokens, output_tokens: tokens, cost_micros, estimated: false };
}

const usage = [totals("Gen", 2, 1000, 400), totals("session.title", 1, 500, 200)];

describe("usage against a budget", () => {
  it("is counted for each limit that is set", () => {
    expect(budgetUses(null, usage)).toEqual([]);
    expect(budgetUses({ max_tokens: 5000 }, usage)).toEqual([
      { name: "max_tokens", limit: 5000, used: 3000, turns: 3 },
    ]);
    expect(budgetUses({ max_tokens: 1, max_cost_micros: 9 }, usage).map((use) => use.used)).toEqual([
      3000, 600,
    ]);
  });

  it("estimates how many turns a limit is enough for", () => {
    const [use] = budgetUses({ max_tokens: 3000 }, usage);
    expect(turnsWithin(6000, use!)).toBe(3);
    expect(turnsWithin(2000, use!)).toBe(0);
    expect(turnsWithin(6000, { ...use!, turns: 0, used: 0 })).toBe(null);
  });
});

describe("changes of a budget", () => {
  it("name each limit and the model that differ, old and new", () => {
    expect(budgetChanges({ max_tokens: 5 }, { max_tokens: 5, max_cost_micros: null })).toEqual([]);
    expect(budgetChanges({ max_tokens: 5, model: "a" }, { max_cost_micros: 7, model: "" })).toEqual([
      { name: "max_tokens", before: 5, after: null },
      { name: "max_cost_micros", before: null, after: 7 },
      { name: "model", before: "a", after: null },
    ]);
  });

  it("keep the session's model unless the gate names another one", () => {
    const gate = { budget: { max_tokens: 9 } } as unknown as Gate;
    expect(proposedTerms(gate, { model: "a" }).model).toBe("a");
    expect(proposedTerms({ ...gate, model: "b" }, { model: "a" }).model).toBe("b");
  });

  it("remove one limit, and restore it into what was set since then", () => {
    const both = { max_tokens: 5, max_cost_micros: 7, max_turn_tokens: 20_000 };
    const cost = { max_cost_micros: 7, max_turn_tokens: 20_000 };
    expect(withoutLimit(both, "max_tokens")).toEqual(cost);
    expect(withoutLimit(cost, "max_cost_micros")).toBe(null);
    expect(withLimitOf({ max_cost_micros: 8 }, both, "max_tokens")).toEqual({
      max_cost_micros: 8,
      max_tokens: 5,
    });
    // The other limit was also removed since then, by somebody else.
    expect(withLimitOf(null, both, "max_tokens")).toEqual({ max_tokens: 5, max_turn_tokens: 20_000 });
  });
});

describe("cheaper models", () => {
  const priced = (name: string, input: number, output: number) => ({ name, prices: { input, output } });
  const models = [
    priced("a/large", 5, 15),
    priced("a/small", 0.1, 0.4),
    { name: "b/own" },
    priced("b/top", 9, 30),
  ];

  it("cost less than the dearest one in use", () => {
    const names = (inUse: string[]) => cheaperModels(models, inUse).map(({ name }) => name);
    expect(names(["a/large"])).toEqual(["b/own", "a/small"]);
    expect(names(["a/small", "b/top"])).toEqual(["b/own", "a/large"]);
    expect(names(["b/own"])).toEqual([]);
    expect(names(["a/unlisted"])).toEqual([]);
  });

  it("are compared with the session's model, or otherwise with those of its agents", () => {
    const team = { agents: [{ model: "small" }, { model: "b/top" }, {}] } as unknown as Team;
    expect(modelsInUse({ model: "b/own" }, team, "a/large")).toEqual(["b/own"]);
    expect(modelsInUse({}, team, "a/large")).toEqual(["a/small", "b/top", "a/large"]);
    expect(modelsInUse(null, null, "a/large")).toEqual(["a/large"]);
  });

  it("are sent as a setting only if it was changed", () => {
    const before = settingsDraftOf({ model: "a/small" });
    expect(changedSettings(before, { ...before })).toEqual({});
    expect(changedSettings(before, { ...before, model: "" })).toEqual({ model: null });
    expect(changedSettings(before, { ...before, model: "b/own" })).toEqual({ model: "b/own" });
  });
});

describe("the fields of a budget", () => {
  it("take positive numbers, costs in units of the currency", () => {
    expect(limitOf("max_tokens", "200,000")).toBe(200_000);
    expect(limitOf("max_cost_micros", "2.5")).toBe(2_500_000);
    expect(limitOf("max_tokens", "2e5")).toBe(200_000);
    for (const wrong of ["", "0", "-1", "1e", "1e99", "much", "0.0000001"])
      expect(limitOf("max_cost_micros", wrong)).toBe(null);
  });

  it("keep values that they do not show", () => {
    const budget = {
      max_tokens: 100,
      max_cost_micros: 2_500_000,
      max_turn_tokens: 20_000,
      max_turn_cost_micros: 7,
    };
    const draft = budgetDraftOf(budget);
    expect(draft).toEqual({ tokens: "100", cost: "2.5", turnTokens: "20000" });
    expect(budgetOf(draft, budget)).toEqual(budget);
    expect(budgetOf({ ...draft, tokens: "", cost: " " }, budget)).toBe(null);
  });

  it("send the budget only if it was changed", () => {
    const settings = { budget: { max_tokens: 100 } };
    const before = settingsDraftOf(settings);
    expect(changedSettings(before, { ...before }, settings.budget)).toEqual({});
    const raised = { ...before, budget: { ...before.budget, tokens: "200" } };
    expect(changedSettings(before, raised, settings.budget)).toEqual({ budget: { max_tokens: 200 } });
    const none = { ...before, budget: { ...before.budget, tokens: "" } };
    expect(changedSettings(before, none, settings.budget)).toEqual({ budget: null });
  });
});
