/** Knowledge bases: texts that agents may search, over HTTP. */
import { request } from "./rest";
import { startUpload, type UploadTask } from "./uploadTask";

/** Who may read a base beside its owner and administrators. */
interface Readers {
  /** Every member of the server may read it and give it to a session. */
  members: boolean;
  /** These members may; told to those who may change the base. */
  participants?: { id: string; name: string }[];
  /** Names of the teams whose sessions may be given it; absent: every team. */
  teams?: string[];
}

/** A knowledge base, as one of its readers sees it. */
export interface Base {
  id: number;
  name: string;
  about: string;
  readers: Readers;
  owner: { id: string; name: string };
  /** I own it: I alone may change it. */
  mine: boolean;
  documents: number;
  bytes: number;
  created_at: string;
}

/** What its owner may say about a base. */
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

/** A passage that a search has found. */
export interface PassageHit {
  document: string;
  /** The number of its first line. */
  line: number;
  text: string;
}

const BASES = "/api/v1/knowledge";

/** Where the text of a document is to be had. */
export function documentUrl(base: number, name: string): string {
  return `${BASES}/${base}/documents/${encodeURIComponent(name)}`;
}

/** Puts a text into a base; one of the same name is replaced. */
export function uploadDocument(
  base: number,
  name: string,
  content: Blob,
  onProgress: (sent: number) => void,
): UploadTask<Document> {
  return startUpload(documentUrl(base, name), content, onProgress);
}

/** A list whole, however many pages the server gives it in. */
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
