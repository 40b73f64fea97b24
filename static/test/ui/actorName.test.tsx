// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { zh } from "../../src/i18n/zh";
import type { Actor, Member } from "../../src/protocol";
import { Avatar } from "../../src/ui/components/Avatar";
import { personName, actorName } from "../../src/ui/names";
import { act, type ReactNode } from "react";
import type { Client } from "../../src/app/client";
import { ClientContext } from "../../src/app/hooks";
import { Store } from "../../src/app/store";
import type { File } from "../../src/protocol";
import { TypingIndicator } from "../../src/ui/composer/TypingIndicator";
import { FileItem } from "../../src/ui/files/FileItem";
import { FilesRow } from "../../src/ui/timeline/NoteRow";
import { FilePreview } from "../../src/ui/files/FilePreview";
import { EditingNotice } from "../../src/ui/gates/SubjectEditor";
import { Announcer } from "../../src/ui/shell/Announcer";
import { previewFile } from "../../src/app/viewState";
import { SESSION, ann, joinedAll, log, welcome } from "../state/log";
import { render } from "../support/screen";

const operator: Actor = { kind: "user", id: "u_1", name: "operator" };

describe("the people who decided", () => {
  it("is shown with the role at that time, and with a note if a guest chose the name", () => {
    expect(actorName({ ...operator, role: "owner" }, en)).toBe("operator (owner)");
    expect(actorName({ ...operator, role: "reviewer", guest: true }, en)).toBe("operator (guest, reviewer)");
    expect(actorName({ ...operator, role: "reviewer", guest: true }, zh)).toBe(
      `operator（${zh.manage.guest}、${zh.roles.reviewer}）`,
    );
    expect(actorName({ kind: "system", id: "system", name: "Roundtable" }, en)).toBe("Roundtable");
  });
});

describe("a name", () => {
  const member = (id: string, name: string, more = {}): Member => ({
    id,
    kind: "user",
    name,
    role: "member",
    ...more,
  });
  const people = {
    participants: [
      member("u_000001", "Ann"),
      member("u_000002", "Ann"),
      member("u_000003", "Bob"),
      member("u_000004", "Воb", { lookalike: true }),
    ],
    formerParticipants: [member("u_000005", "Bob")],
  };

  it("includes the end of the id if another name is the same or looks alike", () => {
    const shown = people.participants.map(({ id }) => personName(people, id));
    expect(shown).toEqual(["Ann …000001", "Ann …000002", "Bob …000003", "Воb …000004"]);
    expect(new Set([...shown, personName(people, "u_000005")]).size).toBe(5);
    expect(personName({ ...people, formerParticipants: [] }, "u_000003")).toBe("Bob");
  });

  it("is shown the same way next to a decision", () => {
    const by: Actor = { kind: "user", id: "u_000002", name: "Ann", role: "owner" };
    expect(actorName(by, en, people)).toBe("Ann …000002 (owner)");
  });
});

describe("an avatar", () => {
  const drawn = (id: string) => render(<Avatar kind="user" id={id} name="operator" />).box.innerHTML;

  it("is derived from the id: two people with the same name look different, and a person looks the same everywhere", () => {
    const ids = Array.from({ length: 40 }, (_, at) => `u_0190f3c07a1b7c3d8e5f60718293a4${at + 10}`);
    expect(new Set(ids.map(drawn)).size).toBe(ids.length);
    expect(drawn(ids[0]!)).toBe(drawn(ids[0]!));
  });
});

describe("wherever a name is shown", () => {
  const eve: Actor = { kind: "user", id: "u_eve", name: "Ann", role: "reviewer", guest: true };
  const marked = "Ann …u_eve (guest, reviewer)";
  const client = { store: new Store() } as Client;
  const event = (at: number, name: string, data: object) =>
    ({ ...log[0]!, seq: log.length + at, by: eve, event: name, data }) as never;
  const frame = (frame: never) => client.store.dispatch({ type: "frame", frame, now: Date.now() });
  const signal = (data: object) =>
    frame({ type: "signal", session: SESSION, name: "typing", data: { by: eve, ...data } } as never);
  const upload = { file: "f_1", name: "a.txt", version: 1, bytes: 1, media_type: "text/plain" };
  const drawn = (part: ReactNode) => render(<ClientContext value={client}>{part}</ClientContext>).box;

  for (const one of [welcome, joinedAll(), ...log]) frame(one as never);
  frame({ type: "caught_up", session: SESSION, through: log.length } as never);
  frame(event(1, "participant.joined", { participant: eve.id, kind: "user", name: "Ann", role: "reviewer" }));
  client.store.dispatch({ type: "guests_loaded", session: SESSION, guests: [eve.id] });

  it("it has the role and the guest mark: for people who add a file, are announced, type or edit", () => {
    Object.assign(HTMLDialogElement.prototype, { showModal: () => undefined, close: () => undefined });
    const announcer = drawn(<Announcer session={SESSION} />);
    act(() => frame(event(2, "file.added", upload)));
    expect(announcer.textContent).toContain(marked);
    const file: File = client.store.get().sessions[SESSION]!.files[0]!;
    expect(file.by).toEqual(eve);
    expect(drawn(<FilesRow session={SESSION} files={[file]} back={null} />).textContent).toContain(marked);
    expect(drawn(<FileItem session={SESSION} file={file} onRemove={null} />).textContent).toContain(marked);
    const preview = drawn(<FilePreview session={SESSION} />);
    act(() => previewFile(file.id));
    expect(preview.textContent).toContain(marked);
    const typing = drawn(<TypingIndicator session={SESSION} />);
    const editing = drawn(<EditingNotice session={SESSION} gate="g_1" />);
    act(() => signal({}));
    expect(typing.textContent).toContain(marked);
    act(() => signal({ gate: "g_1" }));
    expect(editing.textContent).toContain(marked);
    act(() => frame(event(3, "message.posted", { message: "m_99", text: "Hello" })));
    expect(announcer.textContent).toContain(marked);
    expect(ann.name, "the name that the guest took").toBe(eve.name);
  });
});
