/** Table of the rights that each role has in the session. */
import type { RightRule } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { RIGHTS, rightsWith } from "../../state/participants";
import { isChanged, isFixed, ROLES, withRight } from "./rightsDraft";

interface Props {
  rules: RightRule[];
  onChange: (rules: RightRule[]) => void;
}

export function RightsFields({ rules, onChange }: Props) {
  const words = useWords();
  const { rights: own } = words.manage.settings;
  return (
    <details className="rights">
      <summary>{own.title}</summary>
      <small id="rights-hint">{own.means}</small>
      <table aria-describedby="rights-hint">
        <thead>
          <tr>
            <th scope="col">{own.right}</th>
            {ROLES.map((role) => (
              <th key={role} scope="col">
                {words.roles[role]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {RIGHTS.map((right) => (
            <tr key={right}>
              <th scope="row">{words.rights[right]}</th>
              {ROLES.map((role) => (
                <td key={role} data-changed={isChanged(rules, role, right) || undefined}>
                  <input
                    type="checkbox"
                    aria-label={own.cell(words.roles[role], words.rights[right])}
                    checked={rightsWith(role, rules).includes(right)}
                    disabled={isFixed(right)}
                    onChange={(event) => onChange(withRight(rules, role, right, event.target.checked))}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" className="small" disabled={rules.length === 0} onClick={() => onChange([])}>
        {own.reset}
      </button>
    </details>
  );
}
