/** The teams in whose sessions a knowledge base may be used. */
import { useMemo } from "react";
import { useApp } from "../../app/hooks";
import { useLocale } from "../../i18n/locale";
import { teamsFor } from "../shell/teams";

interface Props {
  /** Names of the chosen teams, also of some that the server no longer offers. */
  chosen: readonly string[];
  onChoose: (chosen: string[]) => void;
}

export function TeamReaders({ chosen, onChoose }: Props) {
  const { locale, words } = useLocale();
  const offered = useApp((app) => app.server?.teams);
  const teams = useMemo(() => {
    const known = teamsFor(locale, offered ?? []).map(({ name, title }) => ({ name, title }));
    const gone = chosen.filter((name) => !known.some((team) => team.name === name));
    return [...known, ...gone.map((name) => ({ name, title: undefined }))];
  }, [locale, offered, chosen]);
  const { form } = words.knowledge;
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
