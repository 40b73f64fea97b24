/** Files for a session. */
import type { FileId, SessionId } from "../protocol";
import { commandId } from "../wire/commandId";
import { uploadFile } from "../wire/files";
import { addDraftAttachments } from "./drafts";
import { enqueueUploads, type Upload } from "./uploadQueue";

/** Sends the files, each as a new one or a new version of its name. */
export function uploadFiles(session: SessionId, files: File[]): void {
  enqueueUploads(files.map((content) => fileUpload(session, content)));
}

/**
 * Sends the files that come with words, and `say`s those once all are there. Where one is given up nothing is said: the
 * others stay with what is being written.
 */
export function uploadAttachments(session: SessionId, files: File[], say: (ids: FileId[]) => void): void {
  const ids = new Map<File, FileId>();
  let given = true;
  const arrived = (content: File, id: FileId) => {
    ids.set(content, id);
    if (!given) addDraftAttachments(session, [id]);
    else if (ids.size === files.length) say(files.map((file) => ids.get(file)!));
  };
  const dropped = () => {
    if (given) addDraftAttachments(session, [...ids.values()]);
    given = false;
  };
  enqueueUploads(
    files.map((content) => ({
      ...fileUpload(session, content, (id) => arrived(content, id)),
      attached: true,
      dropped,
    })),
  );
}

function fileUpload(session: SessionId, content: File, arrived?: (id: FileId) => void): Upload {
  // Its command's id: sent again with the same one, it counts once.
  const id = commandId();
  const { name } = content;
  return {
    id,
    to: session,
    name,
    content,
    send(onProgress) {
      const { done, stop } = uploadFile(session, name, id, content, onProgress);
      return { done: done.then((file) => arrived?.(file.id)), stop };
    },
  };
}
