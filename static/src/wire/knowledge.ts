/** REST requests for knowledge bases, whose documents agents can search. */
import type {
  BaseChange,
  BaseRequest,
  BaseResponse,
  Document,
  PassageResponse,
  PassageSearchResponse,
} from "../api";
import { request } from "./rest";
import { startUpload, type UploadTask } from "./uploadTask";

export type { BaseRequest, BaseResponse as Base, Document } from "../api";

/** Passage found by a search. Agents see no score. */
export type PassageHit = Omit<PassageResponse, "score">;

const BASES = "/api/v1/knowledge";

/** Returns the URL of a document's text. */
export function documentUrl(base: number, name: string): string {
  return `${BASES}/${base}/documents/${encodeURIComponent(name)}`;
}

/** Adds a document to a base, or replaces the document with the same name. */
export function uploadDocument(
  base: number,
  name: string,
  content: Blob,
  onProgress: (sent: number) => void,
): UploadTask<Document> {
  return startUpload(documentUrl(base, name), content, onProgress);
}

/** Fetches all pages of a list. */
async function fetchAll<Name extends string, Item>(path: string, name: Name): Promise<Item[]> {
  const all: Item[] = [];
  let after: string | undefined;
  do {
    const query = after === undefined ? "" : `?after=${encodeURIComponent(after)}`;
    const page = await request<Record<Name, Item[]> & { next?: string }>("GET", path + query);
    all.push(...page[name]);
    after = page.next;
  } while (after !== undefined);
  return all;
}

export const knowledge = {
  list: () => fetchAll<"bases", BaseResponse>(BASES, "bases"),
  create: (body: BaseRequest) => request<BaseResponse>("POST", BASES, body),
  change: (base: number, body: BaseChange) => request<BaseResponse>("PATCH", `${BASES}/${base}`, body),
  remove: (base: number) => request<unknown>("DELETE", `${BASES}/${base}`),
  documents: (base: number) => fetchAll<"documents", Document>(`${BASES}/${base}/documents`, "documents"),
  removeDocument: (base: number, name: string) => request<unknown>("DELETE", documentUrl(base, name)),
  search: (base: number, query: string, limit: number) =>
    request<PassageSearchResponse>(
      "GET",
      `${BASES}/${base}/search?q=${encodeURIComponent(query)}&limit=${limit}`,
    ),
};
