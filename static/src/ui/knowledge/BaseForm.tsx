/** Form for a new knowledge base, or for the name, description and readers of an existing one. */
import { useState, useMemo } from "react";
import type { Base } from "../../wire/knowledge";
import { useClient, useApp } from "../../app/hooks";
import { useMutation } from "../../app/requests";
import { useTexts, useLocale } from "../../i18n/locale";
import { MAX_BASE_ABOUT_LENGTH, MAX_BASE_NAME_LENGTH } from "../../text/limits";
import { FormDialog } from "../components/Dialog";
import { teamsFor } from "../shell/teamGroups";

interface Props {
  /** Base to edit; absent for a new one. */
  base?: Base;
  onCreated?: (base: Base) => void;
  onClose: () => void;
}

/** Returns the ids of the members named as readers, one per line. */
function namesOf(base?: Base): string {
  return (base?.readers.participants ?? []).map((reader) => reader.id).join("\n");
}

/** Form for a new base, or for the name, description and readers of an existing one. */
export function BaseForm({ base, onCreated, onClose }: Props) {
  const { common, knowledge: texts } = useTexts();
  const client = useClient();
  const [name, setName] = useState(base?.name ?? "");
  const [about, setAbout] = useState(base?.about ?? "");
  const [members, setMembers] = useState(base?.readers.members ?? false);
  const [named, setNamed] = useState(namesOf(base));
  const [teams, setTeams] = useState(base?.readers.teams ?? []);
  const [status, request] = useMutation();
  const send = async () => {
    const readers = { members, participants: named.split(/[\s,，]+/).filter(Boolean), teams };
    const body = { name: name.trim(), about: about.trim(), readers };
    if (base) await client.updateBase(base.id, body);
    else onCreated?.(await client.createBase(body));
  };
  const { form } = texts;
  const [still, moving] = base ? [form.save, form.saving] : [form.create, form.creating];
  return (
    <FormDialog
      title={base ? texts.edit : texts.fresh}
      submit={status.busy ? moving : still}
      status={status}
      onSubmit={() => void request(send, onClose)}
      onClose={onClose}
    >
      <label>
        <span>{form.name}</span>
        <input
          name="name"
          required
          maxLength={MAX_BASE_NAME_LENGTH}
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
          maxLength={MAX_BASE_ABOUT_LENGTH}
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

interface TeamReadersProps {
  /** Names of the chosen teams, including ones that the server no longer offers. */
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
}

/** Teams whose sessions can use a knowledge base. */
function TeamReaders({ chosen, onChoose }: TeamReadersProps) {
  const { locale, texts } = useLocale();
  const serverTeams = useApp((app) => app.server?.teams);
  const teams = useMemo(() => {
    const known = teamsFor(locale, serverTeams ?? []).map(({ name, title }) => ({ name, title }));
    const missing = chosen.filter((name) => !known.some((team) => team.name === name));
    return [...known, ...missing.map((name) => ({ name, title: undefined }))];
  }, [locale, serverTeams, chosen]);
  const { form } = texts.knowledge;
  return (
    <details className="team-readers">
      <summary>
        {form.teams} <small>{form.teamsChosen(chosen.length)}</small>
      </summary>
      <ul className="base-choice">
        {teams.map(({ name, title }) => (
          <li key={name}>
            <label className="check">
              <input
                type="checkbox"
                name="team"
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  onChoose(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              />
              <span className="base-option">
                {title ?? name} <small>{title ? name : form.teamGone}</small>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}
