/** Lets those who manage a session choose what its agents may search. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import type { Base } from "../../wire/knowledge";
import { useClient } from "../../app/hooks";
import { go } from "../../app/route";
import { useWords } from "../../i18n/locale";
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
  const client = useClient();
  const [chosen, setChosen] = useState(given);
  const none = bases.length === 0 && given.length === 0;
  return (
    <DialogForm
      title={words.chooseTitle}
      submit={none ? words.make : words.save}
      onSubmit={() => {
        if (none) go("/knowledge");
        else client.giveBases(session, [...chosen]);
        onClose();
      }}
      onClose={onClose}
    >
      <p className="soft">{none ? words.nothing : words.chooseText}</p>
      {!none && <BaseChoice bases={bases} chosen={chosen} onChoose={setChosen} />}
    </DialogForm>
  );
}
