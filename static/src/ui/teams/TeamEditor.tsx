/** Editor of a team: the graph or the tree, and the form of the selected part. */
import { useEffect, useMemo, useState } from "react";
import { useMedia } from "../../app/hooks";
import { navigate } from "../../app/route";
import { useDocumentEditing, useDocumentValidation } from "../../app/documentEditing";
import { removeDraft, useDraftStorage, type StoredDraft } from "../../app/teamDrafts";
import { useTeamMutation } from "../../app/teamMutation";
import { errorsByPart } from "../../state/documentErrors";
import { addEdge, partOf, pointerOf, removePart, TEAM } from "../../state/teamDocument";
import { teams, type JsonObject, type TeamDocument } from "../../wire/teams";
import { onDemand } from "../components/onDemand";
import { ErrorNotice } from "../components/ErrorNotice";
import { Icon } from "../components/Icon";
import { EditorBar } from "./EditorBar";
import { edgeViews, nodeViews, treeItems } from "./partViews";
import { PartForm } from "./PartForm";
import { PartsTree } from "./PartsTree";
import { VersionConflict } from "./VersionConflict";
import { ViewSwitch, usePartsView } from "./ViewSwitch";
import { useTeamsTexts } from "../../i18n/teams.en";

const TopologyGraph = onDemand(() => import("./graph/TopologyGraph").then((part) => part.TopologyGraph));

interface Props {
  schema: JsonObject;
  /** Id of the stored team; null for a new one. */
  team: string | null;
  /** Version that is being edited. */
  version: number;
  document: TeamDocument;
  /** Draft from an earlier visit. */
  draft: StoredDraft | null;
  readOnly: boolean;
  /** Called after the team has been saved or another version has been loaded. */
  onSaved: (version: number, changed: boolean) => void;
}

export function TeamEditor({ schema, team, version, document, draft, readOnly, onSaved }: Props) {
  const texts = useTeamsTexts();
  const editing = useDocumentEditing(draft?.document ?? document, team !== null ? document : null);
  const validation = useDocumentValidation(editing.document);
  const errors = useMemo(() => errorsByPart(validation.errors ?? []), [validation.errors]);
  const [base, setBase] = useState(draft?.version ?? version);
  const [saving, save] = useTeamMutation();
  const [restored, setRestored] = useState(draft !== null);
  const [view, setView] = usePartsView();
  const phone = useMedia("(max-width: 759px)");
  // On a phone, the form replaces the tree.
  const [formOpen, setFormOpen] = useState(false);
  useDraftStorage(team, base, editing.document, editing.changed);
  useEffect(() => onSaved(base, editing.changed), [onSaved, base, editing.changed]);

  const select = (key: string) => {
    editing.select(key);
    setFormOpen(true);
  };
  const finish = (saved: TeamDocument, next: number) => {
    removeDraft(team);
    editing.saved(saved);
    setBase(next);
    setRestored(false);
  };
  const store = (at: number) => {
    const sent = editing.document;
    void save(async () => {
      if (team) finish(sent, (await teams.replace(team, sent, at)).version);
      else {
        const { team_id: id } = await teams.create(sent);
        removeDraft(null);
        navigate(`/teams/${id}`, "replace");
      }
    });
  };
  const discard = () => {
    removeDraft(team);
    editing.reset(document);
    setBase(version);
    setRestored(false);
  };
  const graph = !phone && view === "graph";
  const removes = readOnly ? undefined : (key: string) => editing.apply((before) => removePart(before, key));
  return (
    <div className="team-editor">
      <div className="editor-top">
        <EditorBar
          editing={editing}
          validation={validation}
          readOnly={readOnly}
          saving={saving.busy}
          onSave={() => store(base)}
          onError={() => select(pointerOf(partOf(validation.errors?.[0]?.pointer ?? TEAM)))}
        />
        {!phone && <ViewSwitch view={view} onView={setView} />}
      </div>
      {restored && (
        <p className="editor-note" role="status">
          <Icon name="info" size={14} /> {texts.editor.restored}{" "}
          <button type="button" className="small" onClick={discard}>
            {texts.editor.discard}
          </button>
        </p>
      )}
      {saving.conflict && team ? (
        <VersionConflict
          team={team}
          document={editing.document}
          onLoad={(stored) => {
            saving.clear();
            removeDraft(team);
            editing.reset(stored.document);
            setBase(stored.team.version);
            setRestored(false);
          }}
          onOverwrite={(newest) => {
            saving.clear();
            store(newest);
          }}
        />
      ) : (
        saving.error && <ErrorNotice onDismiss={saving.clear}>{saving.error}</ErrorNotice>
      )}
      <div className="editor-body">
        {graph ? (
          <TopologyGraph
            label={texts.editor.graph}
            nodes={nodeViews(editing.document, errors, texts, editing.selected)}
            edges={edgeViews(editing.document, errors, texts)}
            selected={editing.selected}
            onSelect={select}
            onClear={() => editing.select(TEAM)}
            onConnect={
              readOnly
                ? undefined
                : (source, target) => {
                    const [from, to] = [partOf(source), partOf(target)];
                    if (from.kind === "node" && to.kind === "node")
                      editing.apply((before) => addEdge(before, from.node, to.node));
                  }
            }
            onRemove={removes}
          />
        ) : (
          (!phone || !formOpen) && (
            <div className="editor-tree">
              <PartsTree
                label={texts.editor.tree}
                items={treeItems(editing.document, errors, texts)}
                selected={editing.selected}
                onSelect={select}
                onRemove={removes}
              />
              {!readOnly && <p className="soft editor-keys">{texts.editor.keys}</p>}
            </div>
          )
        )}
        {(!phone || formOpen) && (
          <div className="editor-side">
            {phone && (
              <button type="button" className="quiet" onClick={() => setFormOpen(false)}>
                <Icon name="back" size={14} /> {texts.editor.allParts}
              </button>
            )}
            <PartForm schema={schema} editing={editing} errors={errors} readOnly={readOnly} />
          </div>
        )}
      </div>
    </div>
  );
}
