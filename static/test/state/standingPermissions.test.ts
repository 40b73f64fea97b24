import { describe, expect, it } from "vitest";
import type { View } from "../../src/protocol";
import { permissionOf } from "../../src/state/standingPermissions";
import { after, ann, joinedAll, SESSION, welcome } from "./log";
import { checked, granted, permission, sessionAfter } from "../support/permissions";

const ids = (session: ReturnType<typeof sessionAfter>) => session.permissions.map((one) => one.id);

describe("standing permissions", () => {
  it("are counted with each call that they allow, and expired ones disappear with the next call", () => {
    const used = sessionAfter([granted(permission("a_26", { max_uses: 1 })), checked("t_22", "a_26")]);
    expect(used.permissions).toMatchObject([{ id: "a_26", uses: 1 }]);
    expect(used.calls.t_22).toMatchObject({ state: "allowed", risk: "high", standing: "a_26" });
    const next = sessionAfter([
      granted(permission("a_26", { max_uses: 1 })),
      checked("t_22", "a_26"),
      granted(permission("a_28", { until: "2026-11-21T22:01:03.000Z" })),
      granted(permission("a_29")),
      granted(permission("a_30")),
    ]);
    expect(ids(next)).toEqual(["a_29", "a_30"]);
    expect(permissionOf(next, "a_26"), "its end is no reason to forget who granted it").toMatchObject({
      granted_by: [ann.id],
    });
  });

  it("leave unsent calls to be checked again when they are revoked", () => {
    const facts = [granted(permission("a_26")), checked("t_22", "a_26"), checked("t_21")];
    const revoked = sessionAfter([...facts, { event: "permission.revoked", data: { permission: "a_26" } }]);
    expect(ids(revoked)).toEqual([]);
    expect(revoked.calls.t_22).toMatchObject({ state: "proposed", standing: "a_26" });
    expect(revoked.calls.t_21).toMatchObject({ state: "allowed" });
    const sent = sessionAfter([
      ...facts,
      { event: "tool.started", data: { call: "t_22", run: "r_5", attempt: 1, rev: 1, digest: "d" } },
      { event: "permission.revoked", data: { permission: "a_26" } },
    ]);
    expect(sent.calls.t_22).toMatchObject({ state: "started" });
  });

  it("end with their run, however it ends", () => {
    const facts = [granted(permission("a_26", { run: "r_5" })), granted(permission("a_27"))];
    const ends = [
      { event: "run.finished", data: { run: "r_5", reason: "completed" } },
      { event: "run.failed", data: { run: "r_5", error: { code: "x", message: "" } } },
      { event: "run.cancelled", data: { run: "r_5", reason: "" } },
    ] as const;
    for (const end of ends) expect(ids(sessionAfter([...facts, end]))).toEqual(["a_27"]);
  });

  it("are proposed in a revision of the gate and of its call, and dropped in the next one", () => {
    const revision = { gate: "g_25", digest: "d" };
    const standing = { arguments: "any", this_run: true } as const;
    const proposed = { event: "gate.revised", data: { ...revision, rev: 2, standing } } as const;
    const session = sessionAfter([proposed]);
    expect(session.gates.find((gate) => gate.id === "g_25")).toMatchObject({ rev: 2, standing, votes: [] });
    expect(session.calls.t_22).toMatchObject({ rev: 2, arguments: '{"node":"a1"}' });
    const edit = { ...revision, rev: 3, arguments: "{}" };
    const edited = sessionAfter([proposed, { event: "gate.revised", data: edit }]);
    expect(edited.gates.find((gate) => gate.id === "g_25")?.standing).toBeUndefined();
    expect(edited.calls.t_22).toMatchObject({ rev: 3, arguments: "{}" });
  });

  it("are part of a snapshot", () => {
    const view = {
      messages: [],
      gates: [],
      decided: [],
      inbox: [],
      participants: [],
      permissions: [permission("a_26")],
    } as unknown as View;
    const joined = (state: View) =>
      after([welcome, { ...joinedAll(30), snapshot: { seq: 30, state } } as ReturnType<typeof joinedAll>]);
    expect(joined(view).sessions[SESSION]!.permissions).toEqual([permission("a_26")]);
    expect(joined({ ...view, permissions: undefined }).sessions[SESSION]!.permissions).toEqual([]);
  });
});
