/** A browser in the words that its user would choose, off how it names itself: `Firefox · Linux`. */

/** The first that fits counts: most name others beside themselves. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|\bCriOS\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];

const SYSTEMS: [RegExp, string][] = [
  [/Windows/, "Windows"],
  [/Android/, "Android"],
  [/iPhone|iPad/, "iOS"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];

export function deviceName(label: string): string {
  const first = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(label))?.[1];
  return [first(BROWSERS), first(SYSTEMS)].filter(Boolean).join(" · ") || label;
}
