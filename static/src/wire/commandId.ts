/** Returns a new id for a command. Resending a command with its id is safe. */
export function commandId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `c_${Date.now().toString(36)}${random}`;
}
