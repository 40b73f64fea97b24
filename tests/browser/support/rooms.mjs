// The rooms that a page has to do with: a desk, a phone, twice the size; each in both languages of the page.
import { test } from "./stage.mjs";
import { anotherOf, connected } from "./steps.mjs";

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const ROOMS = {
  "on a desktop": {},
  "on a phone": PHONE,
  "at 200 % zoom": { viewport: { width: 680, height: 430 } },
};

/** One test for each room and language: `play` gets what opens a page there, and `touch`. What it looks for has no words. */
export function forEachRoom(name, play) {
  for (const [room, options] of Object.entries(ROOMS)) {
    for (const locale of ["en-GB", "zh-CN"]) {
      test(`${name}, ${room}, in ${locale}`, () =>
        play({ options: { ...options, locale }, touch: options.hasTouch === true }));
    }
  }
}

/** The same person's page of this session in a room. */
export async function inRoom(person, address, { options }) {
  const page = await anotherOf(person, options);
  await page.goto(address);
  await connected(page);
  return page;
}

/** Scrolls the conversation as a reader does: by the wheel, or with a finger. */
export async function scroll(page, pixels, { touch }) {
  const { x, y, width, height } = await page.locator(".timeline").boundingBox();
  const middle = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  if (!touch) {
    await page.mouse.move(middle.x, middle.y);
    return page.mouse.wheel(0, pixels);
  }
  // One swipe after the other, each no longer than the screen.
  const steps = 8;
  const swipe = height * 0.6;
  const from = middle.y + (Math.sign(pixels) * swipe) / 2;
  const session = await page.context().newCDPSession(page);
  const finger = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
  for (let gone = 0; gone < Math.abs(pixels); gone += swipe) {
    const at = (step) => ({ x: middle.x, y: from - (Math.sign(pixels) * swipe * step) / steps });
    await finger("touchStart", at(0));
    for (let step = 1; step <= steps; step++) await finger("touchMove", at(step));
    await finger("touchEnd");
  }
  await session.detach();
}
