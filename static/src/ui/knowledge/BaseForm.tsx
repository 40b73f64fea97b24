/** A new base, or another name and words for one that is there. */
import { useState } from "react";
import type { Base } from "../../wire/knowledge";
import { useClient } from "../../app/hooks";
import { useMutation } from "../../app/useMutation";
import { useWords } from "../../i18n/locale";
import { FormDialog } from "../components/FormDialog";
import { TeamReaders } from "./TeamReaders";

interface Props {
  /** The one that is changed; none is made. */
  base?: Base;
  onMade?: (base: Base) => void;
  onClose: () => void;
}

/** The ids of the members who are named as readers, one a line. */
function namesOf(base?: Base): string {
  return (base?.readers.participants ?? []).map((reader) => reader.id).join("\n");
}

/** Characters of a name and of a description. */
const NAME = 100;
const ABOUT = 2000;

export function BaseForm({ base, onMade, onClose }: Props) {
  const { common, knowledge: words } = useWords();
  const client = useClient();
  const [name, setName] = useState(base?.name ?? "");
  const [about, setAbout] = useState(base?.about ?? "");
  const [members, setMembers] = useState(base?.readers.members ?? false);
  const [named, setNamed] = useState(namesOf(base));
  const [teams, setTeams] = useState(base?.readers.teams ?? []);
  const [asking, request] = useMutation();
  const send = async () => {
    const readers = { members, participants: named.split(/[\s,，]+/).filter(Boolean), teams };
    const wish = { name: name.trim(), about: about.trim(), readers };
    if (base) await client.updateBase(base.id, wish);
    else onMade?.(await client.createBase(wish));
  };
  const { form } = words;
  const [still, moving] = base ? [form.save, form.saving] : [form.create, form.creating];
  return (
    <FormDialog
      title={base ? words.edit : words.fresh}
      submit={asking.busy ? moving : still}
      asking={asking}
      onSubmit={() => void request(send, onClose)}
      onClose={onClose}
    >
      <label>
        <span>{form.name}</span>
        <input
          name="name"
          required
          maxLength={NAME}
          value={name}
          placeholder={form.namePlaceholder}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label>
        <span>
          {form.about} <small>{common.optional}</small>
        </span>
        <textarea
          dir="auto"
          name="about"
          rows={3}
          maxLength={ABOUT}
          value={about}
          onChange={(event) => setAbout(event.target.value)}
        />
        <small>{form.aboutHint}</small>
      </label>
      <label className="check">
        <input
          type="checkbox"
          name="shared"
          checked={members}
          onChange={(event) => setMembers(event.target.checked)}
        />
        <span>{form.shared}</span>
      </label>
      <label>
        <span>
          {form.named} <small>{common.optional}</small>
        </span>
        <textarea
          dir="auto"
          name="participants"
          rows={2}
          value={named}
          placeholder="u_…"
          onChange={(event) => setNamed(event.target.value)}
        />
        <small>{form.namedHint}</small>
      </label>
      <TeamReaders chosen={teams} onChoose={setTeams} />
    </FormDialog>
  );
}
