/** Field for the number of the line that a comment on a file is about. */
import type { File } from "../../protocol";
import { useCommentTexts } from "../../i18n/comments.en";
import { useTexts } from "../../i18n/locale";
import { previewFile } from "../../app/viewState";

interface Props {
  file: File;
  /** Line number, from 1; null if the comment is about the whole file. */
  line: number | null;
  onChange: (line: number | null) => void;
  /** True if there is a button that opens the file, because it is not on screen. */
  withPreview?: boolean;
}

export function LineField({ file, line, onChange, withPreview = false }: Props) {
  const texts = useCommentTexts();
  const { common, files } = useTexts();
  return (
    <div className="comment-line">
      <label>
        <span>
          {texts.lineNumber} <small>{common.optional}</small>
        </span>
        <input
          type="number"
          name="line"
          min={1}
          step={1}
          value={line ?? ""}
          onChange={({ target }) => onChange(lineNumber(target.value))}
        />
      </label>
      {withPreview && (
        <button type="button" className="quiet" onClick={() => previewFile(file.id)}>
          {files.look(file.name)}
        </button>
      )}
    </div>
  );
}

/** Returns the number that was entered; null if the field is empty or its content is not a line number. */
function lineNumber(text: string): number | null {
  const number = Number(text);
  return Number.isInteger(number) && number >= 1 && number <= 0xffff_ffff ? number : null;
}
