/** What the owner of a base may do with it. */
import { useState } from "react";
import type { Base } from "../../wire/knowledge";
import { useClient } from "../../app/hooks";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { IconButton } from "../components/IconButton";
import { Icon } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import { BaseForm } from "./BaseForm";
import { DeleteBaseDialog } from "./DeleteBaseDialog";

interface Props {
  base: Base;
  /** There is room for the name of what is done most. */
  named?: boolean;
  onGone?: () => void;
}

export function BaseActions({ base, named, onGone }: Props) {
  const words = useWords().knowledge;
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
        {named ? (
          <button type="button" className="quiet small share" disabled={sharing.busy} onClick={turn}>
            <Icon name={shared ? "lock" : "people"} size={14} /> {shared ? words.unshare : words.share}
          </button>
        ) : (
          <IconButton
            icon={shared ? "lock" : "people"}
            label={shared ? words.unshareName(name) : words.shareName(name)}
            busy={sharing.busy}
            act={turn}
          />
        )}
        <IconButton
          icon="pencil"
          label={words.editName(name)}
          word={named ? words.editIt : undefined}
          act={() => setOpen("form")}
        />
        <IconButton
          icon="trash"
          label={words.removeName(name)}
          word={named ? words.removeIt : undefined}
          act={() => setOpen("forget")}
        />
      </span>
      {sharing.error && <ErrorNotice>{sharing.error}</ErrorNotice>}
      {open === "form" && <BaseForm base={base} onClose={close} />}
      {open === "forget" && <DeleteBaseDialog base={base} onGone={onGone} onClose={close} />}
    </>
  );
}
