/** Bar of the editor: undo, redo, errors, save and run. */
import { useShortcuts } from "../../app/shortcuts";
import type { DocumentEditing, Validation } from "../../app/documentEditing";
import { addNode, MAX_NODES, nodesOf } from "../../state/teamDocument";
import { Icon, IconButton } from "../components/Icon";
import { useTeamsTexts } from "../../i18n/teams.en";

interface Props {
  editing: DocumentEditing;
  validation: Validation;
  readOnly: boolean;
  saving: boolean;
  onSave: () => void;
  /** Selects the first part with an error. */
  onError: () => void;
}

export function EditorBar({ editing, validation, readOnly, saving, onSave, onError }: Props) {
  const texts = useTeamsTexts().editor;
  const add = () => editing.apply(addNode);
  const canAdd = !readOnly && nodesOf(editing.document).length < MAX_NODES;
  const repeat = () => editing.redo?.();
  useShortcuts(
    {
      "Ctrl+z": (event) => (event.shiftKey ? repeat() : editing.undo?.()),
      "Ctrl+y": repeat,
      "Ctrl+s": () => editing.changed && !saving && onSave(),
      "Alt+a": () => canAdd && add(),
    },
    !readOnly,
  );
  if (readOnly) return <p className="soft">{texts.readOnly}</p>;
  return (
    <div className="editor-bar" role="group" aria-label={texts.label}>
      <button type="button" disabled={!canAdd} aria-keyshortcuts="Alt+A" onClick={add}>
        <Icon name="plus" size={14} /> {texts.addNode}
      </button>
      <IconButton icon="undo" label={texts.undo} onClick={editing.undo} />
      <IconButton icon="redo" label={texts.redo} onClick={editing.redo} />
      <ValidationState validation={validation} onError={onError} />
      <button
        type="button"
        className="primary"
        disabled={saving || !editing.changed}
        aria-keyshortcuts="Control+S"
        onClick={onSave}
      >
        {saving ? texts.saving : editing.changed ? texts.save : texts.saved}
      </button>
    </div>
  );
}

/** Result of the validation in a live region, with a link to the first error. */
function ValidationState({ validation, onError }: { validation: Validation; onError: () => void }) {
  const texts = useTeamsTexts().editor;
  const { errors, truncated, busy } = validation;
  const count = errors?.length ?? 0;
  return (
    <span className="editor-state">
      <span role="status" className={count > 0 ? "wrong" : "soft"} data-errors={errors === null ? "" : count}>
        {errors === null || (busy && count === 0) ? (
          texts.checking
        ) : count > 0 ? (
          <>
            <Icon name="warning" size={13} /> {texts.errors(count, truncated)}
          </>
        ) : (
          <>
            <Icon name="check" size={13} /> {texts.valid}
          </>
        )}
      </span>
      {count > 0 && (
        <button type="button" className="small" onClick={onError}>
          {texts.show}
        </button>
      )}
    </span>
  );
}
