/** Renders components in jsdom. */
import { act, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { onTestFinished } from "vitest";

/** Renders an element. Returns its container and a function that renders another one there. */
export function render(first: ReactNode): { box: HTMLElement; rerender: (next: ReactNode) => void } {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  const box = document.body.appendChild(document.createElement("div"));
  // Tests that use this are about errors that a boundary has caught.
  const root = createRoot(box, { onCaughtError: () => undefined });
  const rerender = (next: ReactNode) => act(() => root.render(next));
  rerender(first);
  onTestFinished(() => {
    act(() => root.unmount());
    box.remove();
  });
  return { box, rerender };
}
