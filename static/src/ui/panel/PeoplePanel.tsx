/** Participants with their presence, and the agents. */
import { useState } from "react";
import type { Member, Role, SessionId } from "../../protocol";
import { canSend, hasRight } from "../../state/participants";
import { useApp, useClient, useMe, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { IconButton, Icon } from "../components/Icon";
import { Avatar, emblemOf, plainTitle } from "../components/Avatar";
import { JoinRequests } from "../settings/JoinRequests";
import { distinctName } from "../names";
import { PermissionsSection } from "../permissions/PermissionsSection";
import { LeaveButton, RemoveDialog } from "../settings/LeaveSession";
import { RedactButton } from "../settings/RedactButton";
import { SessionSettings } from "../settings/SessionSettings";
import { DelegationLines } from "../votes/DelegationLines";
import { onDemand } from "../components/onDemand";

const PersonDialog = onDemand(() => import("./PersonDialog").then((part) => part.PersonDialog));

const ROLES: Role[] = ["owner", "member", "reviewer", "viewer", "bot"];

export function PeoplePanel({ session, onInvite }: { session: SessionId; onInvite: () => void }) {
  const texts = useTexts();
  const participants = useSession(session, (state) => state.participants);
  const presence = useSession(session, (state) => state.presence);
  const agents = useSession(session, (state) => state.team?.agents ?? null) ?? [];
  const writing = useSession(session, (state) =>
    state.ended ? [] : Object.values(state.streaming).map((message) => message.agent),
  );
  const invites = useSession(session, (state) => canSend(state, "invite"));
  const model = useApp((app) => app.server?.model?.name);
  // Without a connection, presence is unknown.
  const presentIds = presence && new Set(presence.here.map((actor) => actor.id));
  const sorted = [...participants].sort(
    (a, b) => Number(presentIds?.has(b.id)) - Number(presentIds?.has(a.id)) || a.name.localeCompare(b.name),
  );
  return (
    <>
      <section>
        <h2>
          {texts.panel.people} <span className="count">{participants.length}</span>
        </h2>
        <JoinRequests session={session} />
        <ul className="people">
          {sorted.map((member) => (
            <Person
              key={member.id}
              session={session}
              member={member}
              isPresent={presentIds?.has(member.id)}
            />
          ))}
        </ul>
        {!!presence?.more && <p className="soft">{texts.panel.more(presence.more)}</p>}
        {participants.length === 1 && invites && <p className="soft">{texts.panel.alone}</p>}
        {invites && (
          <button type="button" onClick={onInvite}>
            <Icon name="link" size={14} /> {texts.panel.invite}
          </button>
        )}
      </section>
      <LeaveButton session={session} />
      <PermissionsSection session={session} />
      <SessionSettings session={session} />
      <section>
        <h2>
          {texts.panel.agents} <span className="count">{agents.length}</span>
        </h2>
        <ul className="people agents">
          {agents.map((agent) => (
            <li key={agent.id}>
              <Avatar kind="agent" id={agent.id} name={agent.name} icon={emblemOf(agent)} />
              <span className="person">
                <span className="person-name">{agent.name}</span>
                <small>{plainTitle(agent) || texts.work.roles[agent.role]}</small>
                <small className="agent-model">{agent.model || model}</small>
              </span>
              {writing.includes(agent.id) && (
                <span className="writing-state">
                  <span className="pulse" aria-hidden="true" />
                  {texts.timeline.writing}
                </span>
              )}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function Person({ session, member, isPresent }: { session: SessionId; member: Member; isPresent?: boolean }) {
  const texts = useTexts();
  const client = useClient();
  const me = useMe();
  const canManage = useSession(session, (state) => hasRight(state, "manage"));
  // An administrator is listed with the role they joined with, but has the rights of an owner.
  const admin =
    useApp((app) => app.serverRole === "admin" && app.me?.id === member.id) && member.role !== "owner";
  const name = useSession(session, (state) => distinctName(state, member.id, member.name));
  const guest = useSession(session, (state) => state.guests.includes(member.id));
  const [asking, setAsking] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <li data-person={member.name} data-here={!!isPresent}>
      <Avatar kind={member.kind} id={member.id} name={member.name} isPresent={isPresent} />
      <span className="person">
        <span className="person-name">
          <button type="button" className="person-open" aria-haspopup="dialog" onClick={() => setOpen(true)}>
            {name}
          </button>{" "}
          {member.id === me && <small>({texts.common.you})</small>}
        </span>
        {member.lookalike && <small className="lookalike">{texts.manage.lookalike}</small>}
        <small title={guest ? texts.manage.guestMeans : undefined}>
          {/* Below the name, so that a long name does not push it out of view. */}
          {[
            guest && texts.manage.guest,
            isPresent !== undefined && (isPresent ? texts.panel.here : texts.panel.away),
          ]
            .filter(Boolean)
            .join(" · ")}
        </small>
        <DelegationLines session={session} member={member} />
      </span>
      {canManage && member.id !== me ? (
        <>
          <select
            aria-label={texts.panel.changeRole(name)}
            value={member.role}
            onChange={(event) => client.setRole(session, member.id, event.target.value as Role)}
          >
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {texts.roles[role]}
              </option>
            ))}
          </select>
          <RedactButton
            session={session}
            target={{ kind: "participant", id: member.id }}
            label={texts.redaction.participant(name)}
          />
          <IconButton icon="trash" label={texts.panel.remove(name)} onClick={() => setAsking(true)} />
        </>
      ) : (
        <span className="tag" title={admin ? texts.panel.adminMeans : texts.roleMeans[member.role]}>
          {admin ? texts.panel.admin : texts.roles[member.role]}
        </span>
      )}
      {open && (
        <PersonDialog
          session={session}
          member={member}
          isPresent={isPresent}
          admin={admin}
          onClose={() => setOpen(false)}
        />
      )}
      {asking && (
        <RemoveDialog session={session} member={{ ...member, name }} onClose={() => setAsking(false)} />
      )}
    </li>
  );
}
