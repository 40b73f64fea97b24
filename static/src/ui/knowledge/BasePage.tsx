/** Page of one base: its header, a test search, and its documents. */
import { useRef, useState } from "react";
import type { Base, Document, PassageHit } from "../../wire/knowledge";
import {
  uploadDocuments,
  type RemovedDocument,
  type DocumentInput,
  useDocuments,
} from "../../app/knowledgeBases";
import { useCanEditBase } from "../../app/permissions";
import { useTexts } from "../../i18n/locale";
import { DropZone } from "../files/DropZone";
import { BaseHeader } from "./BaseHeader";
import { DocumentList } from "./DocumentList";
import { DocumentView } from "./DocumentView";
import { BaseSearch } from "./BaseSearch";
import { KnowledgeBar } from "./BaseList";
import { useListShortcuts } from "../../app/shortcuts";
import { usePaste } from "../files/paste";
import { DocumentEditor, type DocumentDraft } from "./DocumentEditor";

interface Props {
  base: Base;
  onUse: (base: Base) => void;
  onHelp: () => void;
}

export function BasePage({ base, onUse, onHelp }: Props) {
  const texts = useTexts().knowledge.documents;
  const { documents, error, refresh } = useDocuments(base.id);
  const [writing, setWriting] = useState<DocumentDraft | null>(null);
  const [shown, setShown] = useState<{ document: Document; hit?: PassageHit; query?: string } | null>(null);
  const [removed, setRemoved] = useState<RemovedDocument[]>([]);
  const column = useRef<HTMLDivElement>(null);
  const canEdit = useCanEditBase(base);
  const addRemoved = (before: RemovedDocument) => setRemoved((all) => [...all, before]);
  const add = (inputs: DocumentInput[]) => {
    const names = new Set(documents?.map((one) => one.name));
    uploadDocuments(base.id, inputs, (name) => names.has(name), addRemoved);
  };
  const restore = (before: RemovedDocument) => {
    setRemoved((all) => all.filter((one) => one !== before));
    // The document that the restored one replaces need not be kept for another undo.
    uploadDocuments(base.id, [before]);
  };
  const addFiles = (files: File[]) => add(files.map((content) => ({ name: content.name, content })));
  const showDocument = (name: string, hit?: PassageHit, query?: string) => {
    const document = documents?.find((one) => one.name === name);
    if (document) setShown({ document, hit, query });
  };
  const edit = (text: string) => {
    setShown(null);
    if (shown) setWriting({ name: shown.document.name, text, known: true });
  };
  useListShortcuts(column);
  usePaste(canEdit && !writing && !shown, {
    files: addFiles,
    text: (text) => setWriting({ name: "", text }),
  });
  return (
    <DropZone isEnabled={canEdit} title={texts.drop} means={texts.dropMeans} onDrop={addFiles}>
      <KnowledgeBar back onHelp={onHelp} />
      <div className="knowledge">
        <div className="knowledge-column" ref={column}>
          <BaseHeader base={base} onUse={() => onUse(base)} />
          {base.documents > 0 && (
            <BaseSearch base={base} onLook={(hit, query) => showDocument(hit.document, hit, query)} />
          )}
          <DocumentList
            base={base}
            changes={canEdit}
            documents={documents}
            error={error}
            removed={removed}
            onRemoved={addRemoved}
            onUndo={restore}
            onAdd={add}
            onRefresh={refresh}
            onWrite={() => setWriting({ name: "", text: "" })}
            onLook={showDocument}
          />
        </div>
      </div>
      {shown && (
        <DocumentView
          base={base.id}
          name={shown.document.name}
          document={shown.document}
          hit={shown.hit}
          query={shown.query}
          onEdit={canEdit ? edit : undefined}
          onClose={() => setShown(null)}
        />
      )}
      {writing && (
        <DocumentEditor
          base={base}
          draft={writing}
          names={documents?.map((one) => one.name) ?? []}
          onDone={(before) => {
            if (before) addRemoved(before);
            void refresh();
          }}
          onClose={() => setWriting(null)}
        />
      )}
    </DropZone>
  );
}
