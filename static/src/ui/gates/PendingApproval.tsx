/** An approval that is about to be sent: what it is, how long it can be undone, and how to send it at once. */
import { useEffect, useRef } from "react";
import { useNow } from "../../app/hooks";
import { useShortcuts } from "../../app/shortcuts";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import type { DelayedApproval } from "./useDelayedApproval";

export function PendingApproval({ due, undo, now }: Omit<DelayedApproval, "due" | "hold"> & { due: number }) {
  const words = useWords().gate;
  const seconds = Math.max(1, Math.ceil((due - useNow(250)) / 1000));
  const button = useRef<HTMLButtonElement>(null);
  // Undo has the focus: a second Enter by mistake takes the first one back.
  useEffect(() => button.current?.focus({ preventScroll: true }), []);
  useShortcuts({ Escape: undo }, true, true);
  return (
    <div className="dock-actions">
      <p className="dock-held">
        <Icon name="hourglass" size={14} /> <span role="status">{words.held}</span>{" "}
        <span role="timer" aria-live="off">
          {words.heldFor(seconds)}
        </span>
      </p>
      <button ref={button} type="button" className="primary" onClick={(event) => event.detail < 2 && undo()}>
        <Icon name="undo" />
        {words.undo}
        <kbd>Esc</kbd>
      </button>
      <button type="button" onClick={(event) => event.detail < 2 && now()}>
        <Icon name="check" />
        {words.heldNow}
      </button>
    </div>
  );
}
