/** Components on a page of jsdom. */
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { onTestFinished } from "vitest";

/** Draws it, and gives back where, and the way to draw something else there. */
export function draw(first: ReactNode): { box: HTMLElement; draw: (next: ReactNode) => void } {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const box = document.body.appendChild(document.createElement("div"));
  // What a boundary has caught is what such tests are about.
  const root = createRoot(box, { onCaughtError: () => undefined });
  const draw = (next: ReactNode) => act(() => root.render(next));
  draw(first);
  onTestFinished(() => {
    act(() => root.unmount());
    box.remove();
  });
  return { box, draw };
}
