/** Language of the page, and its format of dates and numbers. */
import { createContext, useCallback, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { readStorage, writeStorage } from "../app/storage";
import { en, type Words } from "./en";

/** A language that the page speaks. */
type Locale = "en" | "zh";

/** Texts that are loaded. English is what the page falls back to; a first visit needs no second language. */
const loaded: Partial<Record<Locale, Words>> = { en };
const tags: Record<Locale, string> = { en: "en", zh: "zh-CN" };

interface LocaleContext {
  locale: Locale;
  words: Words;
  setLocale: (locale: Locale) => void;
}

const Context = createContext<LocaleContext>({ locale: "en", words: en, setLocale: () => undefined });

/** Returns the language that the reader chose, or that of the browser. */
function preferred(): Locale {
  const chosen = readStorage<string>("locale");
  if (chosen === "en" || chosen === "zh") return chosen;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

async function load(locale: Locale) {
  if (locale === "zh") loaded.zh ??= (await import("./zh")).zh;
}

/** Loads the texts of the reader's language. To be called before the page is drawn; if it fails, the page is English. */
export async function loadPreferredLocale(): Promise<void> {
  await load(preferred()).catch((error: unknown) =>
    console.warn("The page's texts could not be loaded:", error),
  );
}

export function LocaleProvider({ children }: { children: ReactNode }) {
  const [locale, setState] = useState(() => (loaded[preferred()] ? preferred() : "en"));
  const setLocale = useCallback((next: Locale) => {
    writeStorage("locale", next);
    const changed = load(next).then(() => setState(next));
    // The server may have a new version of the page, in which these texts have another address.
    changed.catch(() => location.reload());
  }, []);
  useEffect(() => {
    document.documentElement.lang = tags[locale];
  }, [locale]);
  const speech = useMemo(() => ({ locale, words: loaded[locale] ?? en, setLocale }), [locale, setLocale]);
  return <Context.Provider value={speech}>{children}</Context.Provider>;
}

/** The page's words. */
export function useWords(): Words {
  return useContext(Context).words;
}

/** The language and how to change it. */
export function useLocale(): LocaleContext {
  return useContext(Context);
}

/** Numbers, moments and spans as the reader's language writes them. */
export function useFormat(): Format {
  const { locale } = useContext(Context);
  return useMemo(() => formats(regional(tags[locale])), [locale]);
}

/** The language as people write it where the reader is, if the browser says so: days before months, or after. */
function regional(tag: string): string {
  return navigator.languages.find((one) => one.startsWith(`${tag}-`)) ?? tag;
}

/** Numbers, moments and spans in one language. */
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
  const thousandth = new Intl.NumberFormat(tag, {
    style: "unit",
    unit: "millisecond",
    // Narrow Chinese keeps the Latin letters, beside seconds in Chinese.
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
    /** The time today, the day before. */
    brief: (at: string) => (isToday(new Date(at)) ? time : day).format(new Date(at)),
    /** To the second today, to the minute before: for what would else look the same. */
    exact: (at: string) => (isToday(new Date(at)) ? precise : minute).format(new Date(at)),
    /** To the minute, with the date unless it is today. */
    moment: (at: string) => (isToday(new Date(at)) ? time : minute).format(new Date(at)),
    number: (n: number) => plain.format(n),
    compact: (n: number) => (n < 10_000 ? plain : compact).format(n),
    seconds: (millis: number) => second.format(millis / 1000),
    /** Below a second in milliseconds, from a minute as on a clock. */
    took: (millis: number) =>
      millis < 1000
        ? thousandth.format(Math.round(millis))
        : millis < 60_000
          ? second.format(millis / 1000)
          : clock(millis),
    /** Remaining time: whole seconds at the end, before that as on a clock. */
    left: (millis: number) =>
      millis < 60_000 ? second.format(Math.ceil(millis / 1000)) : clock(Math.ceil(millis / 1000) * 1000),
    /** With the unit that people would name. */
    bytes,
    /** A size and its bound: to the last byte where they would read alike. */
    against: (n: number, most: number | null): [string, string] => {
      const [has, may] = [bytes(n), most === null ? "" : bytes(most)];
      return has === may ? [`${plain.format(n)} B`, `${plain.format(most!)} B`] : [has, may];
    },
    /** To the last millionth: parts that were rounded would not make their sum. */
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
    span: clock,
  };
}

function clock(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] ? parts : parts.slice(1);
  return shown.map((part, i) => (i ? String(part).padStart(2, "0") : String(part))).join(":");
}
