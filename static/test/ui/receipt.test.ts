/** The timeline's text for a control that took effect. */
import { expect, it } from "vitest";
import { en } from "../../src/i18n/en";
import { zh } from "../../src/i18n/zh";

it("shows how long after the press a message stopped, and whose press it was", () => {
  const [english, chinese] = [en, zh].map(
    ({ notes, control }) =>
      (after: string, mine: boolean) =>
        notes.receipt(control.phases.effective.interrupt, after, mine),
  );
  expect(english!("18ms", true)).toBe("stopped 18ms after your request");
  expect(english!("2 s", false)).toBe("stopped 2 s after the server received the request");
  expect(chinese!("18毫秒", true)).toBe("已停止（操作后 18毫秒）");
  expect(chinese!("2 秒", false)).toBe("已停止（服务器收到后 2 秒）");
});
