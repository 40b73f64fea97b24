/** Text formats that a form supports, and times in the reader's time zone. */

/** Format of a text value. */
export type TextFormat = "date" | "date-time" | "time" | "email" | "uri";

const FORMATS: readonly string[] = ["date", "date-time", "time", "email", "uri"] satisfies TextFormat[];

/**
 * Returns the format; undefined if the form does not support it. Such formats are left to the receiver of the
 * answer.
 */
export function formatOf(value: unknown): TextFormat | undefined {
  return typeof value === "string" && FORMATS.includes(value) ? (value as TextFormat) : undefined;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

const TIME = /^\d{2}:\d{2}:\d{2}/;

/** Returns whether the text matches the format. Does not check whether an email address or URL exists. */
export function matchesFormat(format: TextFormat, text: string): boolean {
  switch (format) {
    case "date":
      return isDate(text);
    case "date-time":
      return isDate(MOMENT.exec(text)?.[1] ?? "") && !Number.isNaN(Date.parse(text));
    case "time":
      return TIME.test(text) && matchesFormat("date-time", `2000-01-01T${text}`);
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(text);
    case "uri":
      return /^[a-z][a-z\d+.-]*:\S+$/i.test(text) && URL.canParse(text);
  }
}

function isDate(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
  );
}

/** Returns the time in the reader's time zone, in the format of a native field. */
export function toLocalInput(moment: string): string {
  const at = new Date(moment);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, at.getSeconds() === 0 ? 16 : 19);
}

/** Returns the time with the reader's UTC offset, or the text unchanged if it is not a date and time. */
export function fromLocalInput(clock: string): string {
  const at = new Date(clock);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(clock) || Number.isNaN(at.getTime())) return clock;
  return `${clock}${clock.length === 16 ? ":00" : ""}${offsetAt(at)}`;
}

/** Returns the time of day with today's UTC offset, or the text unchanged if it is not a time of day. */
export function fromTimeInput(clock: string): string {
  if (!/^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(clock)) return clock;
  return `${clock}${clock.length === 5 ? ":00" : ""}${offsetAt(new Date())}`;
}

/** Returns the reader's UTC offset at the time `at`. */
function offsetAt(at: Date): string {
  const east = -at.getTimezoneOffset();
  const two = (n: number) => String(Math.floor(Math.abs(n))).padStart(2, "0");
  return `${east < 0 ? "-" : "+"}${two(Math.abs(east) / 60)}:${two(Math.abs(east) % 60)}`;
}
