/** Asks before a base is deleted, and says what goes with it: no undo brings it back. */
import type { Base } from "../../wire/knowledge";
import { useClient } from "../../app/hooks";
import { useAnswer } from "../../app/useAnswer";
import { useFormat, useWords } from "../../i18n/locale";
import { DialogForm } from "../parts/DialogForm";

interface Props {
  base: Base;
  onGone?: () => void;
  onClose: () => void;
}

export function Forget({ base, onGone, onClose }: Props) {
  const { forget } = useWords().knowledge;
  const format = useFormat();
  const client = useClient();
  const [asking, ask] = useAnswer<true>();
  const send = async () => {
    const done = await ask(async () => {
      await client.removeBase(base.id);
      return true;
    });
    if (!done) return;
    onClose();
    onGone?.();
  };
  return (
    <DialogForm
      title={forget.title(base.name)}
      submit={forget.yes}
      cancel={forget.no}
      danger
      busy={asking.busy}
      refusal={asking.refusal}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <p>
        <strong>{forget.loses(base.documents, format.bytes(base.bytes))}</strong> {forget.sessions}{" "}
        {forget.forever}
      </p>
      {base.documents > 0 && <p className="soft">{forget.download}</p>}
    </DialogForm>
  );
}
