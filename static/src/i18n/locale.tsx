/** Language of the page, and its formats for dates and numbers. */
import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { readStorage, writeStorage } from "../app/storage";
import { en, type Texts } from "./en";

/** A language that the page supports. */
type Locale = "en" | "zh";

/** Loaded texts. English is the fallback, and most first visits need no second language. */
const loaded: Partial<Record<Locale, Texts>> = { en };
const tags: Record<Locale, string> = { en: "en", zh: "zh-CN" };

interface LocaleContext {
  locale: Locale;
  texts: Texts;
  setLocale: (locale: Locale) => void;
}

const Context = createContext<LocaleContext>({ locale: "en", texts: en, setLocale: () => undefined });

/** Returns the language that the reader chose, or that of the browser. */
function preferredLocale(): Locale {
  const chosen = readStorage<string>("locale");
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

async function load(locale: Locale) {
  if (locale === "zh") loaded.zh ??= (await import("./zh")).zh;
}

/**
 * Loads the texts of the reader's language. Call it before the first render. If it fails, the page is in
 * English.
 */
export async function loadPreferredLocale(): Promise<void> {
  await load(preferredLocale()).catch((error: unknown) =>
    console.warn("The page's texts could not be loaded:", error),
  );
}

export function LocaleProvider({ children }: { children: ReactNode }) {
  const [locale, setState] = useState(() => (loaded[preferredLocale()] ? preferredLocale() : "en"));
  const setLocale = useCallback((next: Locale) => {
    writeStorage("locale", next);
    const changed = load(next).then(() => setState(next));
    // The server might have a new version of the page, in which these texts have a different URL.
    changed.catch(() => location.reload());
  }, []);
  useEffect(() => {
    document.documentElement.lang = tags[locale];
  }, [locale]);
  const context = useMemo(() => ({ locale, texts: loaded[locale] ?? en, setLocale }), [locale, setLocale]);
  return <Context.Provider value={context}>{children}</Context.Provider>;
}

/** Returns the texts of the page. */
export function useTexts(): Texts {
  return useContext(Context).texts;
}

/** Returns a hook for texts that are loaded on demand, in both languages at once. */
export function createTextsHook<T>(english: T, chinese: T): () => T {
  return function useOnDemandTexts() {
    return useContext(Context).locale === "zh" ? chinese : english;
  };
}

/** Returns the language, the texts, and a function that changes the language. */
export function useLocale(): LocaleContext {
  return useContext(Context);
}

/** Returns the formats for numbers, times and durations in the reader's language. */
export function useFormat(): Format {
  const { locale } = useContext(Context);
  return useMemo(() => formats(regionalTag(tags[locale])), [locale]);
}

/**
 * Returns the regional variant of the language if the browser reports one, otherwise the language itself. The
 * variant determines, for example, the order of days and months.
 */
function regionalTag(tag: string): string {
  return navigator.languages.find((one) => one.startsWith(`${tag}-`)) ?? tag;
}

/** Formats for numbers, times and durations in one language. */
export type Format = ReturnType<typeof formats>;

function formats(tag: string) {
  const time = new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit", hour12: false });
  const precise = new Intl.DateTimeFormat(tag, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  });
  const day = new Intl.DateTimeFormat(tag, { month: "short", day: "numeric" });
  const minute = new Intl.DateTimeFormat(tag, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  });
  const full = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "medium", hour12: false });
  const plain = new Intl.NumberFormat(tag);
  const compact = new Intl.NumberFormat(tag, { notation: "compact", maximumFractionDigits: 1 });
  const second = new Intl.NumberFormat(tag, {
    style: "unit",
    unit: "second",
    unitDisplay: "narrow",
    maximumFractionDigits: 1,
  });
  const millisecond = new Intl.NumberFormat(tag, {
    style: "unit",
    unit: "millisecond",
    // In Chinese, the narrow style would write "ms" in Latin letters, while seconds have a Chinese unit.
    unitDisplay: tag.startsWith("zh") ? "long" : "narrow",
  });
  const size = { style: "unit", maximumFractionDigits: 1 } as const;
  const kilo = new Intl.NumberFormat(tag, { ...size, unit: "kilobyte" });
  const mega = new Intl.NumberFormat(tag, { ...size, unit: "megabyte" });
  const list = new Intl.ListFormat(tag, { style: "long", type: "conjunction" });
  const either = new Intl.ListFormat(tag, { style: "long", type: "disjunction" });
  const bytes = (n: number) =>
    n < 1000 ? `${plain.format(n)} B` : n < 1_000_000 ? kilo.format(n / 1000) : mega.format(n / 1_000_000);
  const isToday = (at: Date) => at.toDateString() === new Date().toDateString();
  return {
    time: (at: string | number) => time.format(new Date(at)),
    precise: (at: string | number) => precise.format(new Date(at)),
    full: (at: string | number) => full.format(new Date(at)),
    /** The time if it is today, otherwise the day. */
    timeOrDay: (at: string) => (isToday(new Date(at)) ? time : day).format(new Date(at)),
    /**
     * To the second if it is today, otherwise to the minute: for entries that would otherwise look the same.
     */
    preciseOrMinute: (at: string) => (isToday(new Date(at)) ? precise : minute).format(new Date(at)),
    /** To the minute, with the date unless it is today. */
    timeOrMinute: (at: string) => (isToday(new Date(at)) ? time : minute).format(new Date(at)),
    number: (n: number) => plain.format(n),
    compact: (n: number) => (n < 10_000 ? plain : compact).format(n),
    seconds: (millis: number) => second.format(millis / 1000),
    /** In milliseconds below one second, in seconds below one minute, and in clock format from one minute. */
    duration: (millis: number) =>
      millis < 1000
        ? millisecond.format(Math.round(millis))
        : millis < 60_000
          ? second.format(millis / 1000)
          : clock(millis),
    /** Remaining time: whole seconds in the last minute, and in clock format before that. */
    remaining: (millis: number) =>
      millis < 60_000 ? second.format(Math.ceil(millis / 1000)) : clock(Math.ceil(millis / 1000) * 1000),
    /** With the unit that people would use. */
    bytes,
    /** A size and its limit, both in bytes if they would otherwise look equal. */
    sizeAndLimit: (n: number, limit: number | null): [string, string] => {
      const [sizeText, limitText] = [bytes(n), limit === null ? "" : bytes(limit)];
      return sizeText === limitText
        ? [`${plain.format(n)} B`, `${plain.format(limit!)} B`]
        : [sizeText, limitText];
    },
    /** To the last millionth, because rounded parts would not add up to their total. */
    cost: (micros: number, currency: string) =>
      new Intl.NumberFormat(tag, {
        style: "currency",
        currency,
        currencyDisplay: "narrowSymbol",
        minimumFractionDigits: 2,
        maximumFractionDigits: 6,
      }).format(micros / 1_000_000),
    list: (names: string[]) => list.format(names),
    /** Alternatives, such as `Ann or Bob`. */
    either: (names: string[]) => either.format(names),
    /** `4:05`, `1:02:03`. */
    clock,
  };
}

function clock(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, i) => (i ? String(part).padStart(2, "0") : String(part))).join(":");
}
