// @vitest-environment jsdom
import { act, useRef, useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { useResultNavigation } from "../../src/app/useResultNavigation";
import { SearchField } from "../../src/ui/components/SearchField";
import { render } from "../support/screen";

const opened = vi.fn();
let find: (ready: boolean) => void;

function Searched() {
  const region = useRef<HTMLElement>(null);
  const [text, setText] = useState("");
  const [ready, setReady] = useState(true);
  find = setReady;
  useResultNavigation(region, ".hit", ready);
  return (
    <nav ref={region}>
      <SearchField ref={null} label="Search" text={text} onText={setText} />
      <button type="button" className="hit" onClick={opened}>
        Payments
      </button>
    </nav>
  );
}

let field: HTMLInputElement;
let hit: HTMLElement;
beforeEach(() => {
  opened.mockClear();
  const { box } = render(<Searched />);
  field = box.querySelector("input")!;
  hit = box.querySelector(".hit")!;
});

const press = (target: HTMLElement, key: string) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  act(() => void target.dispatchEvent(event));
  return event;
};
const type = (text: string) =>
  act(() => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!.call(field, text);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  });
const searching = (text: string) => {
  field.focus();
  type(text);
  act(() => find(false));
};

describe("Esc in a searchable list", () => {
  it("applies to the run if nobody is searching", () => {
    hit.focus();
    expect(press(hit, "Escape").defaultPrevented).toBe(false);
    expect(document.activeElement).toBe(hit);
    field.focus();
    expect(press(field, "Escape").defaultPrevented).toBe(false);
  });

  it("leads back to the query, and then clears it", () => {
    type("pay");
    hit.focus();
    expect(press(hit, "Escape").defaultPrevented).toBe(true);
    expect(document.activeElement).toBe(field);
    expect(press(field, "Escape").defaultPrevented).toBe(true);
    expect(field.value).toBe("");
  });
});

describe("Enter before the results arrive", () => {
  it("opens the first hit as soon as it arrives", () => {
    searching("pay");
    press(field, "Enter");
    expect(opened).not.toHaveBeenCalled();
    act(() => find(true));
    expect(opened).toHaveBeenCalledOnce();
  });

  it("opens nothing if the query has changed or been cleared, or if the user has moved on", () => {
    for (const goOn of [() => type("refunds"), () => type(""), () => field.blur()]) {
      searching("pay");
      press(field, "Enter");
      goOn();
      act(() => find(true));
      expect(opened).not.toHaveBeenCalled();
    }
  });
});
