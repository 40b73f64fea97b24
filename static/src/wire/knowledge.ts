/** REST requests for knowledge bases: texts that agents can search. */
import { request } from "./rest";
import { startUpload, type UploadTask } from "./uploadTask";

/** Readers of a base besides its owner and administrators. */
interface Readers {
  /** Every member of the server can read it and add it to a session. */
  members: boolean;
  /** These members can; only sent to those who can change the base. */
  participants?: { id: string; name: string }[];
  /** Names of the teams whose sessions can use it; absent: every team. */
  teams?: string[];
}

/** A knowledge base, as one of its readers sees it. */
export interface Base {
  id: number;
  name: string;
  about: string;
  readers: Readers;
  owner: { id: string; name: string };
  /** True if I own it: only I can change it. */
  mine: boolean;
  documents: number;
  bytes: number;
  created_at: string;
}

/** Fields of a base that its owner can set. */
export interface BaseRequest {
  name?: string;
  about?: string;
  readers?: { members: boolean; participants: string[]; teams: string[] };
}

/** A text in a base. */
export interface Document {
  name: string;
  media_type: string;
  bytes: number;
  passages: number;
  added_at: string;
}

/** Passage found by a search. */
export interface PassageHit {
  document: string;
  /** Number of its first line. */
  line: number;
  text: string;
}

const BASES = "/api/v1/knowledge";

/** Returns the URL of a document's text. */
export function documentUrl(base: number, name: string): string {
  return `${BASES}/${base}/documents/${encodeURIComponent(name)}`;
}

/** Adds a text to a base. A document with the same name is replaced. */
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
  list: () => fetchAll<"bases", Base>(BASES, "bases"),
  create: (body: BaseRequest) => request<Base>("POST", BASES, body),
  change: (base: number, body: BaseRequest) => request<Base>("PATCH", `${BASES}/${base}`, body),
  remove: (base: number) => request<unknown>("DELETE", `${BASES}/${base}`),
  documents: (base: number) => fetchAll<"documents", Document>(`${BASES}/${base}/documents`, "documents"),
  removeDocument: (base: number, name: string) => request<unknown>("DELETE", documentUrl(base, name)),
  search: (base: number, query: string, limit: number) =>
    request<{ hits: PassageHit[] }>(
      "GET",
      `${BASES}/${base}/search?q=${encodeURIComponent(query)}&limit=${limit}`,
    ),
};
