/** Header of a knowledge base: its name, size, owner, readers and actions. */
import type { Base } from "../../wire/knowledge";
import { navigate } from "../../app/route";
import { useCanEditBase, useCanCreate } from "../../app/permissions";
import { useFormat, useTexts } from "../../i18n/locale";
import { Icon, IconButton } from "../components/Icon";
import { useState } from "react";
import { useClient } from "../../app/hooks";
import { useMutation } from "../../app/requests";
import { ErrorNotice } from "../components/ErrorNotice";
import { BaseForm } from "./BaseForm";
import { BaseReaders } from "./BaseReaders";
import { FormDialog } from "../components/Dialog";

/** Header of a base: its name, size, owner, readers and actions. */
export function BaseHeader({ base, onUse }: { base: Base; onUse: () => void }) {
  const texts = useTexts().knowledge;
  const format = useFormat();
  const changes = useCanEditBase(base);
  const canCreate = useCanCreate();
  const { name, about, documents, bytes, created_at } = base;
  return (
    <header className="knowledge-head">
      <h1>{name}</h1>
      <span className="knowledge-acts">
        {changes && <BaseActions base={base} hasLabels onDeleted={() => navigate("/knowledge")} />}
        {canCreate && documents > 0 && (
          <button type="button" onClick={onUse}>
            <Icon name="chat" size={14} /> {texts.use}
          </button>
        )}
      </span>
      {about && <p className="knowledge-about">{about}</p>}
      <p className="base-facts">
        {texts.facts(documents, format.bytes(bytes))}
        <BaseReaders base={base} />
        <span title={format.full(created_at)}>{texts.since(format.timeOrDay(created_at))}</span>
      </p>
    </header>
  );
}

interface Props {
  base: Base;
  /** True if there is room for the label of the most common action. */
  hasLabels?: boolean;
  onDeleted?: () => void;
}

/** Actions of the owner of a base. */
export function BaseActions({ base, hasLabels, onDeleted }: Props) {
  const texts = useTexts().knowledge;
  const client = useClient();
  const [open, setOpen] = useState<"form" | "forget" | null>(null);
  const [sharing, share] = useMutation();
  const close = () => setOpen(null);
  const { name, readers } = base;
  const shared = readers.members;
  const participants = (readers.participants ?? []).map((reader) => reader.id);
  const turn = () =>
    void share(() =>
      client.updateBase(base.id, { readers: { members: !shared, participants, teams: readers.teams ?? [] } }),
    );
  return (
    <>
      <span className="base-acts">
        {hasLabels ? (
          <button type="button" className="quiet small share" disabled={sharing.busy} onClick={turn}>
            <Icon name={shared ? "lock" : "people"} size={14} /> {shared ? texts.unshare : texts.share}
          </button>
        ) : (
          <IconButton
            icon={shared ? "lock" : "people"}
            label={shared ? texts.unshareName(name) : texts.shareName(name)}
            busy={sharing.busy}
            onClick={turn}
          />
        )}
        <IconButton
          icon="pencil"
          label={texts.editName(name)}
          text={hasLabels ? texts.editIt : undefined}
          onClick={() => setOpen("form")}
        />
        <IconButton
          icon="trash"
          label={texts.removeName(name)}
          text={hasLabels ? texts.removeIt : undefined}
          onClick={() => setOpen("forget")}
        />
      </span>
      {sharing.error && <ErrorNotice>{sharing.error}</ErrorNotice>}
      {open === "form" && <BaseForm base={base} onClose={close} />}
      {open === "forget" && <DeleteBaseDialog base={base} onDeleted={onDeleted} onClose={close} />}
    </>
  );
}

interface DeleteBaseDialogProps {
  base: Base;
  onDeleted?: () => void;
  onClose: () => void;
}

/** Confirmation before a base is deleted. It lists what will be lost, because there is no undo. */
function DeleteBaseDialog({ base, onDeleted, onClose }: DeleteBaseDialogProps) {
  const { forget } = useTexts().knowledge;
  const format = useFormat();
  const client = useClient();
  const [status, request] = useMutation();
  const leave = () => {
    onClose();
    onDeleted?.();
  };
  return (
    <FormDialog
      title={forget.title(base.name)}
      submit={forget.yes}
      cancel={forget.no}
      danger
      status={status}
      onSubmit={() => void request(() => client.removeBase(base.id), leave)}
      onClose={onClose}
    >
      <p>
        <strong>{forget.loses(base.documents, format.bytes(base.bytes))}</strong> {forget.sessions}{" "}
        {forget.forever}
      </p>
      {base.documents > 0 && <p className="soft">{forget.download}</p>}
    </FormDialog>
  );
}
