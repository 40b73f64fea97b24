/** Browser notifications about decisions that wait for me, if I turned them on. */
import { useCallback, useState } from "react";
import { atom } from "./atom";
import { readStorage, writeStorage } from "./storage";

type NotificationState = "impossible" | "blocked" | "off" | "on";

const enabled = atom(readStorage<boolean>("notifications") ?? false);

/** Returns whether notifications are on, or the reason why not. */
function notificationState(): NotificationState {
  if (typeof Notification === "undefined") return "impossible";
  if (Notification.permission === "denied") return "blocked";
  return enabled.get() && Notification.permission === "granted" ? "on" : "off";
}

/** Returns the state and a function that toggles it. The browser asks for permission only then. */
export function useNotifications(): [NotificationState, () => void] {
  enabled.use();
  const [, setAnswered] = useState(0);
  const toggle = useCallback(() => {
    const isOn = notificationState() === "on";
    const setEnabled = (next: boolean) => {
      writeStorage("notifications", next || null);
      enabled.set(next);
    };
    if (isOn) return setEnabled(false);
    void Notification.requestPermission().then((permission) => {
      setEnabled(permission === "granted");
      setAnswered((n) => n + 1);
    });
  }, []);
  return [notificationState(), toggle];
}

interface NotificationContent {
  title: string;
  text: string;
  /** Notifications with the same name replace each other, so that several tabs show one. */
  name: string;
  onPick: () => void;
}

/** Shows a notification if they are on and this page is not visible. */
export function notify({ title, text, name, onPick }: NotificationContent): void {
  if (!document.hidden || notificationState() !== "on") return;
  try {
    const notice = new Notification(title, { body: text, tag: name });
    notice.onclick = () => {
      window.focus();
      notice.close();
      onPick();
    };
  } catch {
    // Some phones do not allow notifications from ordinary pages; the title and the badge remain.
  }
}
