/** Dialog for a new session: its first message, its team, and an invitation. */
import { useMemo, useRef, useState } from "react";
import type { Role, SessionId } from "../../protocol";
import { rest, type TeamInfo } from "../../wire/rest";
import { useApp, useClient } from "../../app/hooks";
import { INVITABLE_ROLES } from "../../state/participants";
import { isComposing } from "../../app/shortcuts";
import { navigate } from "../../app/route";
import { useRequest } from "../../app/requests";
import { useBases } from "../../app/knowledgeBases";
import { useLocale, useTexts } from "../../i18n/locale";
import { BaseChips } from "../knowledge/BasePicker";
import { FormDialog } from "../components/Dialog";
import { Starters } from "../components/Starters";
import { groupTeams, takesTurns, type TeamGroup } from "./teamGroups";
import { emblemOf } from "../components/Avatar";

interface Props {
  /** Initial knowledge bases of the session. */
  initialBases?: string[];
  onClose: () => void;
  /** Requests an invite link as soon as the session exists. */
  onInvite: (session: SessionId, role: Role) => void;
}

/** Dialog for a new session: its first message, its team, and an invitation. */
export function NewSessionDialog({ initialBases, onClose, onInvite }: Props) {
  const { locale, texts } = useLocale();
  const client = useClient();
  const allTeams = useApp((app) => app.server?.teams);
  const { groups, others } = useMemo(() => groupTeams(locale, allTeams ?? []), [locale, allTeams]);
  const [picked, setPicked] = useState<string | null>(null);
  const [message, setMessage] = useState("");
  const [title, setTitle] = useState("");
  const [invited, setInvited] = useState<Role | "">("");
  const templates = useApp((app) => app.server?.rights_templates) ?? [];
  const defaultTemplate = templates.find((one) => one.default)?.name ?? "";
  const [rights, setRights] = useState<string | null>(null);
  const { bases } = useBases();
  const [chosen, setChosen] = useState(initialBases ?? []);
  const [status, ask] = useRequest<{ session: string }>();
  const field = useRef<HTMLTextAreaElement>(null);
  const team = picked ?? groups[0]?.teams[0]?.name;
  const starters = allTeams?.find((one) => one.name === team)?.starters ?? [];
  const create = async () => {
    const firstMessage = message.trim();
    const body = {
      ...(team ? { team } : {}),
      ...(title.trim() ? { title: title.trim() } : {}),
      ...(firstMessage ? { message: firstMessage } : {}),
      ...(rights ? { rights_template: rights } : {}),
      ...(chosen.length > 0 ? { settings: { knowledge: chosen } } : {}),
    };
    const created = await ask(() => rest.create(body));
    if (!created) return;
    void client.refreshList();
    navigate(`/s/${created.session}`);
    onClose();
    if (invited) onInvite(created.session, invited);
  };
  return (
    <FormDialog
      title={texts.fresh.title}
      submit={status.busy ? texts.fresh.creating : texts.fresh.create}
      status={status}
      wide
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <label>
        <span>{texts.fresh.message}</span>
        <textarea
          ref={field}
          dir="auto"
          rows={3}
          name="message"
          value={message}
          placeholder={texts.fresh.placeholder}
          onChange={(event) => setMessage(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !isComposing(event.nativeEvent)) {
              event.preventDefault();
              void create();
            }
          }}
        />
      </label>
      <Starters
        starters={starters}
        onPick={(text) => {
          setMessage(text);
          field.current?.focus();
        }}
      />
      {!!bases?.length && (
        <fieldset className="base-fieldset">
          <legend>{texts.knowledge.given.fresh}</legend>
          <BaseChips bases={bases} chosen={chosen} onChoose={setChosen} />
        </fieldset>
      )}
      <TeamPicker groups={groups} others={others} team={team} onPick={setPicked} />
      {templates.length > 0 && (
        <label>
          <span>{texts.manage.settings.rights.title}</span>
          <select
            name="rights"
            value={rights ?? defaultTemplate}
            onChange={(event) => setRights(event.target.value)}
          >
            {!defaultTemplate && <option value="">{texts.manage.settings.rights.usual}</option>}
            {templates.map(({ name, title: template }) => (
              <option key={name} value={name} dir="auto">
                {template}
              </option>
            ))}
          </select>
        </label>
      )}
      <div className="two">
        <label>
          <span>
            {texts.fresh.name} <small>{texts.common.optional}</small>
          </span>
          <input value={title} name="title" onChange={(event) => setTitle(event.target.value)} />
        </label>
        <label>
          <span>{texts.fresh.inviteAs}</span>
          <select value={invited} onChange={(event) => setInvited(event.target.value as Role | "")}>
            <option value="">{texts.fresh.nobody}</option>
            {INVITABLE_ROLES.map((role) => (
              <option key={role} value={role}>
                {texts.roles[role]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </FormDialog>
  );
}

interface TeamPickerProps {
  groups: TeamGroup[];
  others: TeamInfo[];
  team: string | undefined;
  onPick: (name: string) => void;
}

/** Choice of the team, grouped by purpose if there are many. */
function TeamPicker({ groups, others, team, onPick }: TeamPickerProps) {
  const texts = useTexts();
  const optionOf = (one: TeamInfo) => (
    <TeamOption key={one.name} team={one} chosen={team === one.name} onPick={() => onPick(one.name)} />
  );
  const none = groups.every((group) => group.teams.length === 0);
  return (
    <fieldset className="team-choice">
      <legend>{texts.fresh.team}</legend>
      {groups.map(({ purpose, teams }) => (
        <div key={purpose} className="team-group">
          {groups.length > 1 && <p className="team-purpose">{texts.work.teams.groups[purpose]}</p>}
          <div className="teams">{teams.map(optionOf)}</div>
        </div>
      ))}
      {others.length > 0 && (
        <details>
          <summary>{texts.work.teams.otherLanguage}</summary>
          <div className="teams">{others.map(optionOf)}</div>
        </details>
      )}
      {none && <p className="soft">{texts.fresh.noTeams}</p>}
    </fieldset>
  );
}

function TeamOption({ team, chosen, onPick }: { team: TeamInfo; chosen: boolean; onPick: () => void }) {
  return (
    <label className={chosen ? "team on" : "team"}>
      <input type="radio" name="team" className="hidden" checked={chosen} onChange={onPick} />
      <span className="team-title">{team.title}</span>
      <small>{(team.agents ?? []).map(agentLabel).join(takesTurns(team) ? "  →  " : "  ·  ")}</small>
    </label>
  );
}

/** Returns an agent and its emblem without a line break in between. */
function agentLabel(agent: { name: string; title?: string }): string {
  const emblem = emblemOf({ title: agent.title ?? "" });
  return emblem ? `${emblem}\u00a0${agent.name}` : agent.name;
}
