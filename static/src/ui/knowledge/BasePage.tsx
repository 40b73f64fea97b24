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
import { useWords } from "../../i18n/locale";
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
  const words = useWords().knowledge.documents;
  const { documents, refusal, refresh } = useDocuments(base.id);
  const [writing, setWriting] = useState<DocumentDraft | null>(null);
  const [shown, setShown] = useState<{ document: Document; hit?: PassageHit; query?: string } | null>(null);
  const [gone, setGone] = useState<RemovedDocument[]>([]);
  const column = useRef<HTMLDivElement>(null);
  const changes = useCanEditBase(base);
  const keep = (before: RemovedDocument) => setGone((all) => [...all, before]);
  const add = (texts: DocumentInput[]) => {
    const names = new Set(documents?.map((one) => one.name));
    uploadDocuments(base.id, texts, (name) => names.has(name), keep);
  };
  const putBack = (before: RemovedDocument) => {
    setGone((all) => all.filter((one) => one !== before));
    // There is no need to keep the document that it replaced, either.
    uploadDocuments(base.id, [before]);
  };
  const bring = (files: File[]) => add(files.map((content) => ({ name: content.name, content })));
  const look = (name: string, hit?: PassageHit, query?: string) => {
    const document = documents?.find((one) => one.name === name);
    if (document) setShown({ document, hit, query });
  };
  const edit = (text: string) => {
    setShown(null);
    if (shown) setWriting({ name: shown.document.name, text, known: true });
  };
  useListShortcuts(column);
  usePaste(changes && !writing && !shown, { files: bring, text: (text) => setWriting({ name: "", text }) });
  return (
    <DropZone takes={changes} title={words.drop} means={words.dropMeans} onDrop={bring}>
      <KnowledgeBar back onHelp={onHelp} />
      <div className="knowledge">
        <div className="knowledge-column" ref={column}>
          <BaseHeader base={base} onUse={() => onUse(base)} />
          {base.documents > 0 && (
            <BaseSearch base={base} onLook={(hit, query) => look(hit.document, hit, query)} />
          )}
          <DocumentList
            base={base}
            changes={changes}
            documents={documents}
            refusal={refusal}
            gone={gone}
            onGone={keep}
            onUndo={putBack}
            onAdd={add}
            onRefresh={refresh}
            onWrite={() => setWriting({ name: "", text: "" })}
            onLook={look}
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
          onEdit={changes ? edit : undefined}
          onClose={() => setShown(null)}
        />
      )}
      {writing && (
        <DocumentEditor
          base={base}
          draft={writing}
          names={documents?.map((one) => one.name) ?? []}
          onDone={(before) => {
            if (before) keep(before);
            void refresh();
          }}
          onClose={() => setWriting(null)}
        />
      )}
    </DropZone>
  );
}
