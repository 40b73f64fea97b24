// @vitest-environment jsdom
import { act } from "react";
import { expect, it, vi } from "vitest";
import type { Call } from "../../src/protocol";
import { ArgumentsEditor } from "../../src/ui/gates/ArgumentsEditor";
import { render } from "../support/screen";

it("shows the error of an argument when its field loses focus, and offers nothing to send before it is fixed", () => {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  const schema = {
    type: "object",
    properties: { mail: { type: "string", format: "email" }, node: { type: "string" } },
    required: ["mail", "node"],
  };
  const call = { id: "t_1", name: "tell", arguments: '{"mail":"a@b.org","node":"a1"}' } as Call;
  const onEdit = vi.fn();
  const { box } = render(<ArgumentsEditor call={call} schema={schema} onEdit={onEdit} />);
  const [mail, node] = box.querySelectorAll<HTMLInputElement>(".form-fields input");
  const type = (field: HTMLInputElement, text: string) =>
    act(() => {
      field.focus();
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(field, text);
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
  const wrong = () => box.querySelectorAll(".form-field.wrong").length;

  type(mail!, "n");
  expect(wrong(), "nobody is done with it").toBe(0);
  expect(onEdit.mock.lastCall![0]).toBe(null);
  act(() => node!.focus());
  expect(wrong()).toBe(1);
  type(mail!, "nobody@b.org");
  expect(wrong()).toBe(0);
  expect(onEdit.mock.lastCall![0]).toEqual({ mail: "nobody@b.org", node: "a1" });

  // The removed value is reported as missing, since nobody can try to send it.
  type(mail!, "");
  expect(wrong()).toBe(1);
});
