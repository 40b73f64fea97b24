/** Contents of files, to the server and from it. */
import type { File as SessionFile, SessionId } from "../protocol";
import { refusalOf } from "./rest";
import { send, type Sending } from "./send";

/** Where a file is to be had; a version that is not named is the newest. */
export function fileUrl(
  session: SessionId,
  name: string,
  how: { version?: number; preview?: boolean } = {},
): string {
  const query = new URLSearchParams();
  if (how.version) query.set("version", String(how.version));
  if (how.preview) query.set("preview", "true");
  const path = `/api/v1/sessions/${session}/files/${encodeURIComponent(name)}`;
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Sends a file; `id` makes sending it again safe. */
export function sendFile(
  session: SessionId,
  name: string,
  id: string,
  content: Blob,
  onProgress: (sent: number) => void,
): Sending<SessionFile> {
  const { done, stop } = send<{ file: SessionFile }>(
    `${fileUrl(session, name)}?id=${id}`,
    content,
    onProgress,
  );
  return { done: done.then(({ file }) => file), stop };
}

/** Bytes of a text that are shown. */
const SHOWN = 256 * 1024;

/** The beginning of a text, and whether there is more. */
export async function textOf(url: string, signal: AbortSignal): Promise<{ text: string; more: boolean }> {
  const response = await fetch(url, { credentials: "same-origin", signal });
  if (!response.ok) {
    const answer: unknown = await response.json().catch(() => null);
    throw refusalOf(response.status, answer, response.statusText);
  }
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes < SHOWN) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), more: false };
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text, more: true };
}
