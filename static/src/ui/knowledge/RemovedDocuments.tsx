/** What was taken out of a base or replaced while this page was open: it can be put back. */
import type { RemovedDocument } from "../../app/documents";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

/** More than so many are not offered at a time. */
const SHOWN = 5;

export function RemovedDocuments({
  gone,
  onUndo,
}: {
  gone: RemovedDocument[];
  onUndo: (before: RemovedDocument) => void;
}) {
  const words = useWords().knowledge.documents;
  return (
    <div className="undone" role="status">
      {gone.slice(-SHOWN).map((before, i) => (
        <p key={i} className="files-undo">
          {before.replaced ? words.replaced(before.name) : words.removed(before.name)}{" "}
          <button
            type="button"
            className="small"
            aria-label={words.undoName(before.name, before.replaced)}
            onClick={() => onUndo(before)}
          >
            <Icon name="undo" size={13} /> {words.undo}
          </button>
        </p>
      ))}
    </div>
  );
}
