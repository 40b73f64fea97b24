/** Uploads content and reports the progress. */
import { ApiError, toApiError } from "./rest";

/** An upload in progress. */
export interface UploadTask<T> {
  done: Promise<T>;
  stop(): void;
}

/** Starts uploading the content to the URL. */
export function startUpload<T>(
  url: string,
  content: Blob,
  onProgress: (sent: number) => void,
): UploadTask<T> {
  // `fetch` does not report the progress of an upload.
  const request = new XMLHttpRequest();
  const done = new Promise<T>((yes, no) => {
    const unreachable = () =>
      no(new ApiError(0, { code: "store_unavailable", message: "", retryable: true }));
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onerror = unreachable;
    request.onabort = unreachable;
    request.onload = () => {
      const answer = parsed(request.responseText);
      if (request.status >= 200 && request.status < 300) yes(answer as T);
      else no(toApiError(request.status, answer, request.statusText));
    };
  });
  request.open("PUT", url);
  request.send(content);
  return { done, stop: () => request.abort() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
