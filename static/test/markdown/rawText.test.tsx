// @vitest-environment jsdom
import { describe, expect, it } from "vitest";
import { RawTextBoundary } from "../../src/ui/markdown/RawText";
import { Markdown } from "../../src/ui/markdown/Markdown";
import { render } from "../support/screen";

describe("a text that cannot be rendered", () => {
  it("is shown as plain text, and rendered as soon as possible", () => {
    const deep = `${">".repeat(20_000)} so`;
    const { box, rerender } = render(<Markdown text={deep} growing />);
    expect(box.textContent).toBe(deep);
    rerender(<Markdown text="**so**" />);
    expect(box.querySelector("strong")?.textContent).toBe("so");
  });

  it("does not break anything else, wherever it is rendered", () => {
    const Draws = ({ text }: { text: string }) => {
      if (text === "bad") throw new Error("no");
      return <b>{text}</b>;
    };
    const row = (text: string) => (
      <>
        <i>before</i>
        <RawTextBoundary text={text}>
          <Draws text={text} />
        </RawTextBoundary>
      </>
    );
    const { box, rerender } = render(row("bad"));
    expect(box.innerHTML).toBe('<i>before</i><p class="as-written">bad</p>');
    rerender(row("good"));
    expect(box.innerHTML).toBe("<i>before</i><b>good</b>");
  });
});
