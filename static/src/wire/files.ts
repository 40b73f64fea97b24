/** Upload and download of file contents. */
import type { File as SessionFile, SessionId } from "../protocol";
import { startUpload, type UploadTask } from "./uploadTask";

/** Returns the URL of a file. Without a version, it refers to the newest one. */
export function fileUrl(
  session: SessionId,
  name: string,
  options: { version?: number; preview?: boolean } = {},
): string {
  const query = new URLSearchParams();
  if (options.version) query.set("version", String(options.version));
  if (options.preview) query.set("preview", "true");
  const path = `/api/v1/sessions/${session}/files/${encodeURIComponent(name)}`;
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Uploads a file. A retry with the same `id` is safe. */
export function uploadFile(
  session: SessionId,
  name: string,
  id: string,
  content: Blob,
  onProgress: (sent: number) => void,
): UploadTask<SessionFile> {
  const { done, stop } = startUpload<{ file: SessionFile }>(
    `${fileUrl(session, name)}?id=${id}`,
    content,
    onProgress,
  );
  return { done: done.then(({ file }) => file), stop };
}
