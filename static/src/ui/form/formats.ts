/** The formats of texts that a form helps with, and how a moment is filled in where the reader is. */

/** What a text may have to be. */
export type TextFormat = "date" | "date-time" | "time" | "email" | "uri";

const FORMATS: readonly string[] = ["date", "date-time", "time", "email", "uri"] satisfies TextFormat[];

/** Any other one is left to whoever reads the answer. */
export function formatOf(value: unknown): TextFormat | undefined {
  return typeof value === "string" && FORMATS.includes(value) ? (value as TextFormat) : undefined;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

const TIME = /^\d{2}:\d{2}:\d{2}/;

/** Whether the text is of the format. What is no address of anybody may still look like one. */
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

/** The moment by the reader's clock, as a browser's field has it. */
export function toLocalInput(moment: string): string {
  const at = new Date(moment);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, at.getSeconds() === 0 ? 16 : 19);
}

/** The moment that the reader's clock means, with how far that is from everybody's; else the text as it is. */
export function fromLocalInput(clock: string): string {
  const at = new Date(clock);
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(clock) || Number.isNaN(at.getTime())) return clock;
  return `${clock}${clock.length === 16 ? ":00" : ""}${offsetAt(at)}`;
}

/** The time of any day that the reader's clock means, as it is set this day; else the text as it is. */
export function fromTimeInput(clock: string): string {
  if (!/^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(clock)) return clock;
  return `${clock}${clock.length === 5 ? ":00" : ""}${offsetAt(new Date())}`;
}

/** How far the reader's clock is from everybody's then. */
function offsetAt(at: Date): string {
  const east = -at.getTimezoneOffset();
  const two = (n: number) => String(Math.floor(Math.abs(n))).padStart(2, "0");
  return `${east < 0 ? "-" : "+"}${two(Math.abs(east) / 60)}:${two(Math.abs(east) % 60)}`;
}
