/** Notifications of the browser about decisions that wait for me, for whoever has asked for them. */
import { useCallback, useState } from "react";
import { held } from "./held";
import { recall, remember } from "./memory";

export type Notices = "impossible" | "blocked" | "off" | "on";

const wanted = held(recall<boolean>("notices") ?? false);

/** Whether they come, or why not. */
function notices(): Notices {
  if (typeof Notification === "undefined") return "impossible";
  if (Notification.permission === "denied") return "blocked";
  return wanted.get() && Notification.permission === "granted" ? "on" : "off";
}

/** Whether they come, and how to turn that round: the browser is asked for leave then, and not before. */
export function useNotices(): [Notices, () => void] {
  wanted.use();
  const [, setAnswered] = useState(0);
  const turn = useCallback(() => {
    const on = notices() === "on";
    const want = (next: boolean) => {
      remember("notices", next || null);
      wanted.set(next);
    };
    if (on) return want(false);
    void Notification.requestPermission().then((permission) => {
      want(permission === "granted");
      setAnswered((n) => n + 1);
    });
  }, []);
  return [notices(), turn];
}

interface Notice {
  title: string;
  text: string;
  /** One of the same name is replaced: several tabs say it once. */
  name: string;
  onPick: () => void;
}

/** Shows it, if they are on and nobody looks at this page. */
export function notify({ title, text, name, onPick }: Notice): void {
  if (!document.hidden || notices() !== "on") return;
  try {
    const notice = new Notification(title, { body: text, tag: name });
    notice.onclick = () => {
      window.focus();
      notice.close();
      onPick();
    };
  } catch {
    // Some phones let only other sorts of pages notify: the title and the badge say it still.
  }
}
