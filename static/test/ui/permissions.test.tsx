// @vitest-environment jsdom
import { act, type ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { Store } from "../../src/app/store";
import { LocaleProvider, loadPreferredLocale } from "../../src/i18n/locale";
import type { ServerFrame } from "../../src/protocol";
import type { CommandFrame } from "../../src/wire/frames";
import {
  firstStandingDraft,
  hasInvalidUses,
  hasPassed,
  isValidDraft,
  standingTerms,
  withTime,
} from "../../src/ui/gates/standingDraft";
import { ProposedPermission, StandingForm } from "../../src/ui/gates/StandingForm";
import { SubjectEditor } from "../../src/ui/gates/SubjectEditor";
import { PermissionsButton } from "../../src/ui/permissions/PermissionsButton";
import { PermissionsSection } from "../../src/ui/permissions/PermissionsSection";
import { NoteRow } from "../../src/ui/timeline/NoteRow";
import { ToolCall } from "../../src/ui/calls/ToolCall";
import { ann, joinedAll, SESSION, welcome } from "../state/log";
import { flowLog } from "../state/flows";
import { checked, eventsAfterGate, granted, permission } from "../support/permissions";
import { render } from "../support/screen";

type Facts = Parameters<typeof eventsAfterGate>[0];

let client: Client;
const vote = vi.fn();
const revokePermission = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-21T22:01:30.000Z") });
  vote.mockClear();
  revokePermission.mockClear();
  client = {
    store: new Store(),
    vote,
    revokePermission,
    signalEditing: () => undefined,
  } as unknown as Client;
});
afterEach(() => {
  vi.useRealTimers();
});

/** Renders a part of the session after these events. */
function drawn(facts: Facts, part: ReactNode): HTMLElement {
  const events = [...flowLog.slice(0, 25), ...eventsAfterGate(facts, ann)];
  for (const frame of [welcome, joinedAll(events.length), ...events] as ServerFrame[])
    client.store.dispatch({ type: "frame", frame, now: Date.now() });
  client.store.flush();
  return render(<ClientContext value={client}>{part}</ClientContext>).box;
}

const session = () => client.store.get().sessions[SESSION]!;
const named = (box: HTMLElement, name: string) =>
  [...box.querySelectorAll("button")].find((one) => one.textContent?.includes(name))!;
const click = (element: HTMLElement) => act(() => element.click());

describe("terms of a permission", () => {
  it("follow from the choices of the form", () => {
    const now = Date.parse("2026-11-21T22:00:00.000Z");
    expect(standingTerms(firstStandingDraft, now)).toEqual({ arguments: "same", this_run: true });
    const any = { ...firstStandingDraft, arguments: "any" } as const;
    expect(standingTerms({ ...any, limit: "hour" }, now).until).toBe("2026-11-21T23:00:00.000Z");
    expect(standingTerms({ ...any, limit: "hours" }, now).until).toBe("2026-11-22T06:00:00.000Z");
    expect(standingTerms({ ...any, limit: "uses", uses: "20" }, now)).toEqual({
      arguments: "any",
      max_uses: 20,
    });
    const invalid = ["", "0", "1001", "1.5", "-1", "1e2"];
    expect(invalid.every((uses) => hasInvalidUses({ ...any, limit: "uses", uses }))).toBe(true);
    expect(hasInvalidUses({ ...any, limit: "uses", uses: "1000" })).toBe(false);
    expect(hasInvalidUses({ ...any, uses: "" }), "another limit is chosen").toBe(false);
  });

  it("can end at a time of day, tomorrow if the time has passed today", () => {
    const now = new Date(2026, 10, 21, 17, 30).getTime();
    const timed = { ...firstStandingDraft, limit: "time" } as const;
    const until = (time: string, at = now) => {
      const draft = withTime(timed, time, at);
      expect(isValidDraft(draft, at)).toBe(true);
      return standingTerms(draft, at);
    };
    const at = (day: number, hours: number, minutes: number) =>
      new Date(2026, 10, day, hours, minutes).toISOString();
    expect(until("18:00")).toEqual({ arguments: "same", until: at(21, 18, 0) });
    expect(until("17:31").until).toBe(at(21, 17, 31));
    expect(until("17:30").until, "this minute has begun").toBe(at(22, 17, 30));
    expect(until("09:05:00").until).toBe(at(22, 9, 5));
    expect(until("00:00").until).toBe(at(22, 0, 0));
    const lastOfYear = new Date(2026, 11, 31, 12, 0).getTime();
    expect(until("08:00", lastOfYear).until).toBe(new Date(2027, 0, 1, 8, 0).toISOString());
  });

  it("need a time that has not passed since it was chosen, and never move it to the next day", () => {
    const now = new Date(2026, 10, 21, 17, 59).getTime();
    const timed = { ...firstStandingDraft, limit: "time" } as const;
    expect(isValidDraft(timed, now), "no time is chosen").toBe(false);
    expect(isValidDraft(withTime(timed, "18:", now), now)).toBe(false);
    expect(hasPassed(timed, now)).toBe(false);
    const chosen = withTime(timed, "18:00", now);
    const later = now + 60_000;
    expect([hasPassed(chosen, later), isValidDraft(chosen, later)]).toEqual([true, false]);
    expect(standingTerms(chosen, later).until).toBe(new Date(later).toISOString());
    expect(isValidDraft({ ...chosen, limit: "run" }, later), "another limit is chosen").toBe(true);
  });
});

describe("the form at a gate", () => {
  const form = () => {
    const gate = session().gates.find((one) => one.id === "g_25")!;
    const sendState = { busy: false, failed: false };
    return (
      <StandingForm session={SESSION} gate={gate} sendState={sendState} isVisible onClose={() => undefined}>
        {null}
      </StandingForm>
    );
  };

  it("holds the approval of a call that cannot be undone, and sends it with the terms", () => {
    drawn([], null);
    const box = drawn([], form());
    click(box.querySelectorAll<HTMLElement>(".segment input")[1]!);
    click(named(box, "Allow and don't ask again"));
    expect(vote).not.toHaveBeenCalled();
    act(() => vi.advanceTimersByTime(5_000));
    expect(vote).toHaveBeenCalledExactlyOnceWith(SESSION, expect.objectContaining({ rev: 1 }), "approve", {
      standing: { arguments: "any", this_run: true },
    });
  });

  it("drops a held approval when the choice changes", () => {
    drawn([], null);
    const box = drawn([], form());
    click(named(box, "Allow and don't ask again"));
    click(box.querySelectorAll<HTMLElement>(".segment input")[1]!);
    act(() => vi.advanceTimersByTime(6_000));
    expect(vote).not.toHaveBeenCalled();
  });

  it("says on which day a chosen time falls, and does not send a time that has passed", () => {
    drawn([], null);
    const box = drawn([], form());
    click(box.querySelectorAll<HTMLElement>(".segment input")[5]!);
    const field = box.querySelector<HTMLInputElement>("input[type=time]")!;
    const status = document.getElementById(field.getAttribute("aria-describedby")!)!;
    const submit = box.querySelector<HTMLButtonElement>("[type=submit]")!;
    expect(field.labels?.[0]?.textContent).toBe("Ends at");
    expect(status.getAttribute("role")).toBe("status");
    expect(status.textContent).toBe("A time that has already passed today means tomorrow.");
    expect(submit.disabled).toBe(true);
    const now = new Date();
    const clock = (at: Date) => at.toTimeString().slice(0, 5);
    const choose = (at: Date) =>
      act(() => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(field, clock(at));
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      });
    const soon = new Date(Math.ceil((now.getTime() + 1) / 60_000) * 60_000);
    choose(new Date(now.getTime() - 60_000));
    expect(status.textContent).toMatch(/^Ends (today|tomorrow) at \d\d:\d\d\.$/);
    choose(soon);
    expect(status.textContent).toContain(`at ${clock(soon)}.`);
    expect(submit.disabled).toBe(false);
    act(() => vi.advanceTimersByTime(soon.getTime() - now.getTime()));
    expect(status.textContent).toBe("This time has just passed. Choose a later one.");
    expect([field.getAttribute("aria-invalid"), submit.disabled]).toEqual(["true", true]);
    const later = new Date(soon.getTime() + 3_600_000);
    choose(later);
    click(submit);
    act(() => vi.advanceTimersByTime(5_000));
    expect(vote).toHaveBeenCalledExactlyOnceWith(SESSION, expect.objectContaining({ rev: 1 }), "approve", {
      standing: { arguments: "same", until: later.toISOString() },
    });
  });

  it("is also part of the arguments editor", () => {
    const unused = { observe: () => undefined, disconnect: () => undefined };
    vi.stubGlobal("IntersectionObserver", function () {
      return unused;
    });
    vi.stubGlobal("matchMedia", () => ({ matches: true }));
    drawn([], null);
    const gate = session().gates.find((one) => one.id === "g_25")!;
    const sendState = { busy: false, failed: false };
    const box = drawn(
      [],
      <SubjectEditor session={SESSION} gate={gate} sendState={sendState} isVisible onClose={() => undefined}>
        {null}
      </SubjectEditor>,
    );
    const node = box.querySelector<HTMLInputElement>(".form-fields input")!;
    act(() => {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(node, "b2");
      node.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
    click([...box.querySelectorAll<HTMLElement>("[type=checkbox]")].at(-1)!);
    click(named(box, "Approve with these changes"));
    act(() => vi.advanceTimersByTime(5_000));
    expect(vote).toHaveBeenCalledExactlyOnceWith(SESSION, expect.objectContaining({ rev: 1 }), "approve", {
      edit: { node: "b2" },
      standing: { arguments: "same", this_run: true },
    });
    vi.unstubAllGlobals();
  });

  it("shows what else an approval allows", () => {
    const standing = { arguments: "same", until: "2026-11-21T23:00:00.000Z", max_uses: 1 } as const;
    const revised = { event: "gate.revised", data: { gate: "g_25", rev: 2, digest: "d", standing } } as const;
    drawn([revised], null);
    const gate = session().gates.find((one) => one.id === "g_25")!;
    const box = drawn([revised], <ProposedPermission session={SESSION} gate={gate} />);
    expect(box.textContent).toMatch(
      /Approving also allows mcp_shop_restart with the same arguments until .+, for 1 more call\./,
    );
  });
});

describe("the list", () => {
  const list = (
    <>
      <PermissionsButton session={SESSION} />
      <PermissionsSection session={SESSION} />
    </>
  );

  it("shows what each permission allows and how often it was used, without expired ones", () => {
    const facts = [
      granted(permission("a_26", { max_uses: 20 })),
      granted(permission("a_27", { max_uses: 1, uses: 1 })),
      granted(permission("a_28", { until: "2026-11-21T22:02:00.000Z", arguments_digest: "d" })),
      checked("t_22", "a_26"),
    ];
    const box = drawn(facts, list);
    const items = [...box.querySelectorAll("li")].map((item) => item.textContent);
    expect(items).toHaveLength(2);
    expect(items[0]).toContain("mcp_shop_restart with any arguments");
    expect(items[0]).toContain("Reader · 1 of 20 calls used");
    expect(items[0]).toContain("granted by Ann (owner)");
    expect(items[1]).toMatch(/with the same argumentsReader · until .+ · used 0 times/);
    expect(box.querySelector(".permissions-button")?.getAttribute("aria-label")).toBe(
      "2 standing permissions",
    );
    act(() => vi.advanceTimersByTime(31_000));
    expect(box.querySelectorAll("li"), "its time is over").toHaveLength(1);
  });

  it("revokes immediately, only for those who can decide, and explains if somebody else was faster", () => {
    const box = drawn([granted(permission("a_26"))], list);
    click(named(box, "Revoke"));
    expect(revokePermission).toHaveBeenCalledExactlyOnceWith(SESSION, "a_26");
    const command = { id: "c_9", do: "revoke_permission", data: { permission: "a_26" }, session: SESSION };
    const pending = { command: command as CommandFrame & { session: string }, at: 0 };
    act(() => client.store.dispatch({ type: "command_added", pending }));
    expect(named(box, "Revoking").getAttribute("aria-disabled")).toBe("true");
    const revoked = { event: "permission.revoked", data: { permission: "a_26" } } as const;
    const [, frame] = eventsAfterGate([granted(permission("a_26")), revoked], ann);
    const error = { code: "unknown_permission", message: "there is no permission a_26", retryable: false };
    act(() => {
      client.store.dispatch({ type: "frame", frame: frame!, now: 0 });
      client.store.dispatch({ type: "command_failed", id: "c_9", error } as never);
    });
    expect(box.querySelectorAll("li")).toHaveLength(0);
    expect(box.querySelector("[role=alert]")?.textContent).toContain("someone else revoked it");
    act(() => client.store.dispatch({ type: "command_removed", session: SESSION, id: "c_9" }));
    expect(box.textContent).toBe("");
  });

  it("has no button for those who only watch", () => {
    drawn([granted(permission("a_26"))], null);
    const closing = { event: "session.closed", data: {} } as never;
    const box = drawn([granted(permission("a_26")), closing], list);
    expect(box.querySelectorAll("li")).toHaveLength(1);
    expect(named(box, "Revoke")).toBeUndefined();
  });
});

describe("the conversation", () => {
  it("says who granted and revoked a permission, in both languages", async () => {
    const facts: Facts = [
      granted(permission("a_26", { run: "r_5" })),
      { event: "permission.revoked", data: { permission: "a_26" } },
      { event: "permission.revoked", data: { permission: "a_2" } },
    ];
    drawn(facts, null);
    const rows = () =>
      session()
        .notes.slice(-3)
        .map((note) => <NoteRow key={note.seq} session={SESSION} note={note} />);
    const text = drawn(facts, rows()).textContent;
    expect(text).toContain(
      "Ann allowed Reader to call mcp_shop_restart with any arguments without asking, for the rest of this run",
    );
    expect(text).toContain("Ann revoked the permission for Reader to call mcp_shop_restart without asking");
    expect(text).toContain("Ann revoked a standing permission");
    vi.spyOn(navigator, "language", "get").mockReturnValue("zh-CN");
    await loadPreferredLocale();
    const chinese = drawn(facts, <LocaleProvider>{rows()}</LocaleProvider>).textContent;
    expect(chinese).toContain(
      "Ann 允许 Reader 直接调用 mcp_shop_restart（任意参数，本次运行期间），不再询问",
    );
    expect(chinese).toContain("Ann 撤销了 Reader 直接调用 mcp_shop_restart 的许可");
  });

  it("shows the risk of a call, and under whose permission it was made", () => {
    const facts = [granted(permission("a_26")), checked("t_22", "a_26")];
    drawn(facts, null);
    const box = drawn(facts, <ToolCall session={SESSION} call={session().calls.t_22!} />);
    click(box.querySelector<HTMLElement>(".tool-line")!);
    const badge = box.querySelector<HTMLElement>("[data-testid=risk]")!;
    expect([badge.textContent, badge.title]).toEqual([
      "High risk",
      "Can change something that cannot be undone",
    ]);
    expect(box.textContent).toContain("Made without asking: standing permission by Ann (owner)");
  });
});
