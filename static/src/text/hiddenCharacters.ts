/** Hidden characters in texts: they are made visible, because people must read what they vote on. */

const HIDDEN = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}";
const HIDDEN_BUT_LAYOUT = new RegExp(`(?![\\t\\n\\r])[${HIDDEN}]`, "gu");
const NOT_IN_FILE_NAMES = new RegExp(`[/\\\\:*?"<>|${HIDDEN}]+`, "gu");

/** Returns whether the text is invisible: only white space and invisible characters. The server has the same rule. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

/** Machine-written text with every hidden character as a JSON escape, so that what is shown can still be sent. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_BUT_LAYOUT, escaped);
}

/** Text of people with the characters escaped that change the text direction. Some languages need the other hidden ones. */
export function escapeBidi(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, escaped);
}

/** Text with the characters escaped that write letters backwards. No language needs these. */
export function escapeOverrides(text: string): string {
  return text.replace(/[\u202d\u202e]/g, escaped);
}

/** Text without characters that a file name cannot have, with a space in place of each group. */
export function withoutFileNameSpecials(text: string): string {
  return text.replace(NOT_IN_FILE_NAMES, " ");
}

function escaped(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
