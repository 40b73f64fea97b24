/**
 * Hidden characters in text. They are made visible, because people must be able to read what they vote on.
 */

const HIDDEN = "\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}";
const HIDDEN_BUT_LAYOUT = new RegExp(`(?![\\t\\n\\r])[${HIDDEN}]`, "gu");
const NOT_IN_FILE_NAMES = new RegExp(`[/\\\\:*?"<>|${HIDDEN}]+`, "gu");

/**
 * Returns whether the text is blank: only white space and invisible characters. The server has the same rule.
 */
export function isBlank(text: string): boolean {
  return /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*$/u.test(text);
}

/**
 * Returns machine-written text with every hidden character, except tabs and line breaks, as a JSON escape, so
 * that the shown text can still be sent.
 */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_BUT_LAYOUT, escaped);
}

/**
 * Returns text from people with the characters that change the text direction escaped. The other hidden
 * characters stay, because some languages need them.
 */
export function escapeBidi(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, escaped);
}

/** Returns text with direction overrides escaped. No language needs these. */
export function escapeOverrides(text: string): string {
  return text.replace(/[\u202d\u202e]/g, escaped);
}

/** Returns the text with each sequence of characters that file names cannot have replaced by a space. */
export function withoutFileNameSpecials(text: string): string {
  return text.replace(NOT_IN_FILE_NAMES, " ");
}

function escaped(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
