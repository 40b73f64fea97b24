/** One base: what it is, a search to try what agents would find, and its documents. */
import { useRef, useState } from "react";
import type { Base, Document, Hit } from "../../wire/knowledge";
import { addDocuments, type Before, type NamedText } from "../../app/documents";
import { useDocuments } from "../../app/useDocuments";
import { useMayChange } from "../../app/useMayChange";
import { useWords } from "../../i18n/locale";
import { DropZone } from "../files/DropZone";
import { BaseHead } from "./BaseHead";
import { Documents } from "./Documents";
import { DocumentView } from "./DocumentView";
import { Find } from "./Find";
import { KnowledgeBar } from "./KnowledgeBar";
import { useMoves } from "./useMoves";
import { usePasted } from "./usePasted";
import { Writing, type Draft } from "./Writing";

interface Props {
  base: Base;
  onUse: (base: Base) => void;
  onHelp: () => void;
}

export function BasePage({ base, onUse, onHelp }: Props) {
  const words = useWords().knowledge.documents;
  const { documents, refusal, refresh } = useDocuments(base.id);
  const [writing, setWriting] = useState<Draft | null>(null);
  const [shown, setShown] = useState<{ document: Document; hit?: Hit; query?: string } | null>(null);
  const [gone, setGone] = useState<Before[]>([]);
  const column = useRef<HTMLDivElement>(null);
  const changes = useMayChange(base);
  const keep = (before: Before) => setGone((all) => [...all, before]);
  const add = (texts: NamedText[]) => {
    const names = new Set(documents?.map((one) => one.name));
    addDocuments(base.id, texts, (name) => names.has(name), keep);
  };
  const putBack = (before: Before) => {
    setGone((all) => all.filter((one) => one !== before));
    // What stood in its place need not be kept as well.
    addDocuments(base.id, [before]);
  };
  const bring = (files: File[]) => add(files.map((content) => ({ name: content.name, content })));
  const look = (name: string, hit?: Hit, query?: string) => {
    const document = documents?.find((one) => one.name === name);
    if (document) setShown({ document, hit, query });
  };
  const edit = (text: string) => {
    setShown(null);
    if (shown) setWriting({ name: shown.document.name, text, known: true });
  };
  useMoves(column);
  usePasted(changes && !writing && !shown, { files: bring, text: (text) => setWriting({ name: "", text }) });
  return (
    <DropZone takes={changes} title={words.drop} means={words.dropMeans} onDrop={bring}>
      <KnowledgeBar back onHelp={onHelp} />
      <div className="knowledge">
        <div className="knowledge-column" ref={column}>
          <BaseHead base={base} onUse={() => onUse(base)} />
          {base.documents > 0 && <Find base={base} onLook={(hit, query) => look(hit.document, hit, query)} />}
          <Documents
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
        <Writing
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
