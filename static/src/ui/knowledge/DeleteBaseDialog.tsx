/** Asks before a base is deleted, and says what goes with it: no undo brings it back. */
import type { Base } from "../../wire/knowledge";
import { useClient } from "../../app/hooks";
import { useMutation } from "../../app/useMutation";
import { useFormat, useWords } from "../../i18n/locale";
import { FormDialog } from "../components/FormDialog";

interface Props {
  base: Base;
  onGone?: () => void;
  onClose: () => void;
}

export function DeleteBaseDialog({ base, onGone, onClose }: Props) {
  const { forget } = useWords().knowledge;
  const format = useFormat();
  const client = useClient();
  const [asking, request] = useMutation();
  const gone = () => {
    onClose();
    onGone?.();
  };
  return (
    <FormDialog
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
    </FormDialog>
  );
}
