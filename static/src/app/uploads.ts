/** Files for a session. */
import type { SessionId } from "../protocol";
import { commandId } from "../wire/commandId";
import { sendFile } from "../wire/files";
import { attach } from "./drafts";
import { transfer } from "./transfers";

/** Sends the files, each as a new one or a new version of its name; `attached`: to come with what is being written. */
export function upload(session: SessionId, files: File[], attached: boolean): void {
  transfer(
    files.map((content) => {
      // Its command's id: sent again with the same one, it counts once.
      const id = commandId();
      const { name } = content;
      return {
        id,
        to: session,
        name,
        content,
        attached,
        send(onProgress) {
          const { done, stop } = sendFile(session, name, id, content, onProgress);
          return { done: done.then((file) => attached && attach(session, [file.id])), stop };
        },
      };
    }),
  );
}
