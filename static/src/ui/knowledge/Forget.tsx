/** Asks before a base is deleted, and says what goes with it: no undo brings it back. */
import type { Base } from "../../wire/knowledge";
import { useClient } from "../../app/hooks";
import { useRequest } from "../../app/useRequest";
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
  const [asking, request] = useRequest();
  const gone = () => {
    onClose();
    onGone?.();
  };
  return (
    <DialogForm
      title={forget.title(base.name)}
      submit={forget.yes}
      cancel={forget.no}
      danger
      asking={asking}
      onSubmit={() => void request(() => client.removeBase(base.id), gone)}
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
