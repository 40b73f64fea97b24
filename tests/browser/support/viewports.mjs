// The viewports of the tests: a desktop, a phone, and 200 % zoom; and the languages of the page.
import assert from "node:assert/strict";
import { test } from "./stage.mjs";
import { anotherOf, connected } from "./steps.mjs";

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** `less` is the viewport of a low window, a phone in landscape, or 400 % zoom. */
const VIEWPORTS = {
  "on a desktop": { options: {}, less: { width: 844, height: 390 } },
  "on a phone": { options: PHONE, less: { width: 844, height: 390 } },
  "at 200 % zoom": {
    options: { viewport: { width: 680, height: 430 } },
    less: { width: 340, height: 215 },
  },
};

const LOCALES = ["en-GB", "zh-CN"];

/**
 * Defines one test per viewport, in one of the languages; with EVERY_LOCALE in the environment, in both. Neighbouring
 * viewports use different languages, and so do tests whose names have odd and even lengths, so that all tests together
 * cover every viewport in every language. `play` gets the options that open such a page, and `touch`. It uses no texts.
 */
export function forEachViewport(name, play) {
  for (const [at, [viewport, { options, less }]] of Object.entries(VIEWPORTS).entries()) {
    const locales = process.env.EVERY_LOCALE ? LOCALES : [LOCALES[(at + name.length) % LOCALES.length]];
    for (const locale of locales) {
      test(`${name}, ${viewport}, in ${locale}`, () =>
        play({ options: { ...options, locale }, touch: options.hasTouch === true, less }));
    }
  }
}

/** Runs the check in this viewport and then in its smaller one. */
export async function inLess(page, { less }, check) {
  await check();
  const before = page.viewportSize();
  await page.setViewportSize(less);
  await check();
  await page.setViewportSize(before);
}

/** The number of pixel rows of an element that are visible and not covered. */
export function rowsSeen(locator) {
  return locator.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const x = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
    let rows = 0;
    for (let y = Math.max(0, Math.ceil(top)); y < Math.min(bottom, innerHeight); y++)
      if (element.contains(document.elementFromPoint(x, y))) rows++;
    return rows;
  });
}

/** Checks that an element can be scrolled into view and is not covered. */
export async function inSight(locator, least = 12) {
  await locator.evaluate((element) => element.scrollIntoView({ block: "nearest" }));
  const rows = await rowsSeen(locator);
  assert.ok(rows >= least, `${rows} rows of pixels of ${await locator.textContent()}`);
  // The two widths of a button that is exactly as wide as its text may be rounded differently.
  const fits = await locator.evaluate(async (one) => {
    // After a resize, the layout settles once fonts are loaded and two frames have passed.
    await document.fonts.ready;
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    return one.localName !== "button" || one.scrollWidth <= one.clientWidth + 1;
  });
  assert.ok(fits, `${await locator.textContent()} does not fit into its button`);
}

/**
 * In this viewport and its smaller one, each of these can be scrolled into view, and nothing is cut off at the side.
 */
export function readable(page, viewport, ...locators) {
  return inLess(page, viewport, async () => {
    const all = await Promise.all(locators.map((locator) => locator.all()));
    for (const [at, found] of all.entries()) {
      assert.ok(found.length > 0, `there is no ${locators[at]}`);
      for (const one of found) await inSight(one);
    }
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  });
}

/** Opens this session for the same person in a viewport. */
export async function inViewport(person, address, { options }) {
  const page = await anotherOf(person, options);
  await page.goto(address);
  await connected(page);
  return page;
}

/** Scrolls the conversation as a reader does: with the wheel or with a finger. */
export async function scroll(page, pixels, { touch }) {
  const { x, y, width, height } = await page.locator(".timeline").boundingBox();
  const middle = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  if (!touch) {
    await page.mouse.move(middle.x, middle.y);
    return page.mouse.wheel(0, pixels);
  }
  // One swipe after another, each no longer than the screen.
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
