/** Characters that nobody sees, shown: people must read what they vote on. */

/** All of them, in a text of a machine: as JSON escapes them, so that what is shown can still be sent. */
export function escapeHidden(text: string): string {
  return text.replace(/(?![\t\n\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** Those alone that turn the order of the others around, in words for people: some languages need the rest. */
export function isolateDirection(text: string): string {
  return text.replace(/\p{Bidi_Control}/gu, escaped);
}

/** Those alone that write letters backwards: no language needs them, whatever else it needs. */
export function reverseDirection(text: string): string {
  return text.replace(/[\u202d\u202e]/g, escaped);
}

function escaped(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
