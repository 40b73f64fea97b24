/** Fetches content from the server. */
import { toApiError } from "./rest";

/** Beginning of text content. */
export interface TextPreview {
  text: string;
  /** True if the content might be longer. */
  more: boolean;
}

/** Number of bytes after which a preview stops reading. */
const MAX_PREVIEW_BYTES = 256 * 1024;

/** Fetches the complete content at the URL. */
export async function fetchBytes(url: string, signal?: AbortSignal): Promise<Blob> {
  return (await fetchContent(url, signal)).blob();
}

/** Fetches a preview of the text at the URL. */
export async function fetchText(url: string, signal: AbortSignal): Promise<TextPreview> {
  const reader = (await fetchContent(url, signal)).body!.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  while (bytes < MAX_PREVIEW_BYTES) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), more: false };
    bytes += value.length;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return { text, more: true };
}

async function fetchContent(url: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(url, { credentials: "same-origin", signal });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => null);
  throw toApiError(response.status, answer, response.statusText);
}
