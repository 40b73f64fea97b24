/** Table of the rights that each role has in the session. */
import type { Right, RightAccess, RightRule } from "../../protocol";
import { useApp } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { accessWith, RIGHTS } from "../../state/participants";
import { isRequestable, isChanged, haveSameRights, isFixed, ROLES, withAccess } from "./rightsDraft";

interface Props {
  rules: RightRule[];
  onChange: (rules: RightRule[]) => void;
}

export function RightsFields({ rules, onChange }: Props) {
  const texts = useTexts();
  const { rights: own } = texts.manage.settings;
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
                {texts.roles[role]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {RIGHTS.map((right) => (
            <tr key={right}>
              <th scope="row">{texts.rights[right]}</th>
              {ROLES.map((role) => (
                <td key={role} data-changed={isChanged(rules, role, right) || undefined}>
                  <AccessField
                    label={own.cell(texts.roles[role], texts.rights[right])}
                    right={right}
                    access={accessWith(role, right, rules)}
                    onChange={(access) => onChange(withAccess(rules, role, right, access))}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <TemplateField rules={rules} onChange={onChange} />
      <button type="button" className="small" disabled={rules.length === 0} onClick={() => onChange([])}>
        {own.reset}
      </button>
    </details>
  );
}

interface AccessFieldProps {
  label: string;
  right: Right;
  access: RightAccess;
  onChange: (access: RightAccess) => void;
}

/** Access of one role to one right: three options if owners can be asked, otherwise a checkbox. */
function AccessField({ label, right, access, onChange }: AccessFieldProps) {
  const { rights: own } = useTexts().manage.settings;
  if (!isRequestable(right)) {
    return (
      <input
        type="checkbox"
        aria-label={label}
        checked={access === "allow"}
        disabled={isFixed(right)}
        onChange={(event) => onChange(event.target.checked ? "allow" : "deny")}
      />
    );
  }
  return (
    <select
      aria-label={label}
      value={access}
      onChange={(event) => onChange(event.target.value as RightAccess)}
    >
      {(["allow", "ask", "deny"] as const).map((one) => (
        <option key={one} value={one}>
          {own.access[one]}
        </option>
      ))}
    </select>
  );
}

/** Choice of one of the server's templates, which replaces all rules. */
function TemplateField({ rules, onChange }: Props) {
  const { rights: own } = useTexts().manage.settings;
  const templates = useApp((app) => app.server?.rights_templates) ?? [];
  if (templates.length === 0) return null;
  const chosen = templates.find((one) => haveSameRights(one.rights, rules))?.name ?? "";
  return (
    <label>
      <span>{own.template}</span>
      <select
        value={chosen}
        onChange={(event) => {
          const template = templates.find(({ name }) => name === event.target.value);
          if (template) onChange(template.rights);
        }}
      >
        <option value="">{own.noTemplate}</option>
        {templates.map(({ name, title }) => (
          <option key={name} value={name} dir="auto">
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
