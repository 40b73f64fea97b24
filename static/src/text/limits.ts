/** Limits on text that people enter. The server has the same or higher limits, and checks all text again. */

/** Maximum length of a participant's name. The server allows 64 characters. */
export const MAX_NAME_LENGTH = 60;
/** Maximum length of the name of a knowledge base. */
export const MAX_BASE_NAME_LENGTH = 100;
/** Maximum length of the description of a knowledge base. */
export const MAX_BASE_ABOUT_LENGTH = 2000;
/** Maximum length of the name of a document. The server counts its bytes. */
export const MAX_DOCUMENT_NAME_LENGTH = 200;
/** Maximum length of a search query in a knowledge base. */
export const MAX_QUERY_LENGTH = 500;
/** Maximum size of a message in bytes, until the server has sent its own limit in `limits.max_text_bytes`. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024;

/** Returns the size of the text in UTF-8, in bytes. It is a plain loop, because it runs for every delta. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}
