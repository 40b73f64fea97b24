/** What the owner of a base may do with it. */
import { useState } from "react";
import type { Base } from "../../wire/knowledge";
import { useClient } from "../../app/hooks";
import { useRequest } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { Act } from "../parts/Act";
import { Icon } from "../parts/Icon";
import { Refusal } from "../parts/Refusal";
import { BaseForm } from "./BaseForm";
import { Forget } from "./Forget";

interface Props {
  base: Base;
  /** There is room for the name of what is done most. */
  named?: boolean;
  onGone?: () => void;
}

export function BaseActs({ base, named, onGone }: Props) {
  const words = useWords().knowledge;
  const client = useClient();
  const [open, setOpen] = useState<"form" | "forget" | null>(null);
  const [sharing, share] = useRequest();
  const close = () => setOpen(null);
  const { name, readers } = base;
  const shared = readers.members;
  const participants = (readers.participants ?? []).map((reader) => reader.id);
  const turn = () =>
    void share(() =>
      client.changeBase(base.id, { readers: { members: !shared, participants, teams: readers.teams ?? [] } }),
    );
  return (
    <>
      <span className="base-acts">
        {named ? (
          <button type="button" className="quiet small share" disabled={sharing.busy} onClick={turn}>
            <Icon name={shared ? "lock" : "people"} size={14} /> {shared ? words.unshare : words.share}
          </button>
        ) : (
          <Act
            icon={shared ? "lock" : "people"}
            label={shared ? words.unshareName(name) : words.shareName(name)}
            busy={sharing.busy}
            act={turn}
          />
        )}
        <Act
          icon="pencil"
          label={words.editName(name)}
          word={named ? words.editIt : undefined}
          act={() => setOpen("form")}
        />
        <Act
          icon="trash"
          label={words.removeName(name)}
          word={named ? words.removeIt : undefined}
          act={() => setOpen("forget")}
        />
      </span>
      {sharing.refusal && <Refusal>{sharing.refusal}</Refusal>}
      {open === "form" && <BaseForm base={base} onClose={close} />}
      {open === "forget" && <Forget base={base} onGone={onGone} onClose={close} />}
    </>
  );
}
