/** Taking somebody out, with the links that they could come back by. */
import { useState } from "react";
import type { Member, SessionId } from "../../protocol";
import { useClient } from "../../app/hooks";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { manage } from "../../wire/manage";
import { FormDialog } from "../components/FormDialog";

interface Props {
  session: SessionId;
  member: Member;
  onClose: () => void;
}

export function RemoveDialog({ session, member, onClose }: Props) {
  const words = useWords();
  const client = useClient();
  const [links, setLinks] = useState(true);
  const [asking, request] = useMutation();
  const remove = () => {
    client.removeParticipant(session, member.id);
    onClose();
  };
  return (
    <FormDialog
      title={words.panel.removeAsk(member.name)}
      submit={words.panel.removeYes}
      danger
      asking={asking}
      // First the links: else whoever is removed could be back before they are closed.
      onSubmit={() => (links ? void request(() => manage.closeLinks(session), remove) : remove())}
      onClose={onClose}
    >
      <label className="check">
        <input type="checkbox" checked={links} onChange={(event) => setLinks(event.target.checked)} />
        <span>
          {words.access.remove.links}
          <small>{words.access.remove.linksMeans}</small>
        </span>
      </label>
    </FormDialog>
  );
}
