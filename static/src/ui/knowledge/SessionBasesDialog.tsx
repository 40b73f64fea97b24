/** Lets those who manage a session choose what its agents may search. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import type { Base } from "../../wire/knowledge";
import { navigate } from "../../app/route";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { FormDialog } from "../components/FormDialog";
import { BasePicker } from "./BasePicker";

interface Props {
  session: SessionId;
  bases: Base[];
  given: readonly string[];
  onClose: () => void;
}

export function SessionBasesDialog({ session, bases, given, onClose }: Props) {
  const words = useWords().knowledge.given;
  const [asking, request] = useMutation();
  const [chosen, setChosen] = useState(given);
  const none = bases.length === 0 && given.length === 0;
  return (
    <FormDialog
      title={words.chooseTitle}
      submit={none ? words.make : asking.busy ? words.saving : words.save}
      asking={asking}
      onSubmit={() => {
        if (none) navigate("/knowledge");
        else void request(() => manage.set(session, { knowledge: [...chosen] }), onClose);
      }}
      onClose={onClose}
    >
      <p className="soft">{none ? words.nothing : words.chooseText}</p>
      {!none && <BasePicker bases={bases} chosen={chosen} onChoose={setChosen} />}
    </FormDialog>
  );
}
