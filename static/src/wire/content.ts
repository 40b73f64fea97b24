/** Contents that the server has. */
import { refusalOf } from "./rest";

/** The beginning of a text. */
export interface Beginning {
  text: string;
  /** There is more of it. */
  more: boolean;
}

/** Bytes of a text that are shown. */
const SHOWN = 256 * 1024;

/** All of it. */
export async function bytesOf(url: string, signal?: AbortSignal): Promise<Blob> {
  return (await fetched(url, signal)).blob();
}

/** As much of a text as is shown. */
export async function textOf(url: string, signal: AbortSignal): Promise<Beginning> {
  const reader = (await fetched(url, signal)).body!.getReader();
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

async function fetched(url: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(url, { credentials: "same-origin", signal });
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => null);
  throw refusalOf(response.status, answer, response.statusText);
}
