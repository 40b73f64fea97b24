import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const css = readFileSync(new URL("../../src/styles/tokens.css", import.meta.url), "utf8");

/** The brightness of a colour as the eye perceives it. */
function brightness(block: string, token: string): number {
  const hex = new RegExp(`--${token}: #([0-9a-f]{6});`).exec(block)![1]!;
  const [red, green, blue] = [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

it("the dark theme has no holes: sunken surfaces are lighter than their surroundings", () => {
  const blocks = css.split("color-scheme: dark;").slice(1);
  expect(blocks).toHaveLength(2);
  for (const block of blocks) {
    const steps = ["ground", "surface", "sunken", "raised", "hover", "line"].map((token) =>
      brightness(block, token),
    );
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
  }
  expect(blocks[0]!.match(/--[\w-]+: #\w+/g)).toEqual(blocks[1]!.match(/--[\w-]+: #\w+/g));
});
