/** Lets those who manage a session choose what its agents may search. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import type { Base } from "../../wire/knowledge";
import { go } from "../../app/route";
import { useRequest } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { DialogForm } from "../parts/DialogForm";
import { BaseChoice } from "./BaseChoice";

interface Props {
  session: SessionId;
  bases: Base[];
  given: readonly string[];
  onClose: () => void;
}

export function Give({ session, bases, given, onClose }: Props) {
  const words = useWords().knowledge.given;
  const [asking, request] = useRequest();
  const [chosen, setChosen] = useState(given);
  const none = bases.length === 0 && given.length === 0;
  return (
    <DialogForm
      title={words.chooseTitle}
      submit={none ? words.make : asking.busy ? words.saving : words.save}
      asking={asking}
      onSubmit={() => {
        if (none) go("/knowledge");
        else void request(() => manage.set(session, { knowledge: [...chosen] }), onClose);
      }}
      onClose={onClose}
    >
      <p className="soft">{none ? words.nothing : words.chooseText}</p>
      {!none && <BaseChoice bases={bases} chosen={chosen} onChoose={setChosen} />}
    </DialogForm>
  );
}
