/** What shows a file when it is pressed. */
import type { ReactNode } from "react";
import type { File } from "../../protocol";
import { previewFile } from "../../app/preview";
import { useWords } from "../../i18n/locale";

export function FileButton({ file, look, children }: { file: File; look: string; children: ReactNode }) {
  const words = useWords().files;
  return (
    <button
      type="button"
      className={look}
      data-file={file.name}
      title={words.look(file.name)}
      onClick={() => previewFile(file.id)}
    >
      {children}
    </button>
  );
}
