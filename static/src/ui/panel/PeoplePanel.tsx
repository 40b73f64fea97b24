/** Participants with their presence, and the agents. */
import { useState } from "react";
import type { Member, Role, SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useApp, useClient, useMe, useSession } from "../../app/hooks";
import { useWords } from "../../i18n/locale";
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
  const words = useWords();
  const participants = useSession(session, (state) => state.participants);
  const presence = useSession(session, (state) => state.presence);
  const agents = useSession(session, (state) => state.team?.agents ?? null) ?? [];
  const writing = useSession(session, (state) =>
    state.ended ? [] : Object.values(state.streaming).map((item) => item.agent),
  );
  const invites = useSession(session, (state) => hasRight(state, "invite"));
  const model = useApp((app) => app.server?.model?.name);
  // Without a connection, presence is unknown.
  const here = presence && new Set(presence.here.map((actor) => actor.id));
  const sorted = [...participants].sort(
    (a, b) => Number(here?.has(b.id)) - Number(here?.has(a.id)) || a.name.localeCompare(b.name),
  );
  return (
    <>
      <section>
        <h2>
          {words.panel.people} <span className="count">{participants.length}</span>
        </h2>
        <JoinRequests session={session} />
        <ul className="people">
          {sorted.map((member) => (
            <Person key={member.id} session={session} member={member} here={here?.has(member.id)} />
          ))}
        </ul>
        {!!presence?.more && <p className="soft">{words.panel.more(presence.more)}</p>}
        {participants.length === 1 && invites && <p className="soft">{words.panel.alone}</p>}
        {invites && (
          <button type="button" onClick={onInvite}>
            <Icon name="link" size={14} /> {words.panel.invite}
          </button>
        )}
      </section>
      <LeaveButton session={session} />
      <PermissionsSection session={session} />
      <SessionSettings session={session} />
      <section>
        <h2>
          {words.panel.agents} <span className="count">{agents.length}</span>
        </h2>
        <ul className="people agents">
          {agents.map((agent) => (
            <li key={agent.id}>
              <Avatar kind="agent" id={agent.id} name={agent.name} emblem={emblemOf(agent)} />
              <span className="person">
                <span className="person-name">{agent.name}</span>
                <small>{plainTitle(agent) || words.work.roles[agent.role]}</small>
                <small className="agent-model">{agent.model || model}</small>
              </span>
              {writing.includes(agent.id) && (
                <span className="writing-state">
                  <span className="pulse" aria-hidden="true" />
                  {words.timeline.writing}
                </span>
              )}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

function Person({ session, member, here }: { session: SessionId; member: Member; here?: boolean }) {
  const words = useWords();
  const client = useClient();
  const me = useMe();
  const manages = useSession(session, (state) => hasRight(state, "manage"));
  // An administrator is listed with the role they joined with, but has the rights of an owner.
  const admin =
    useApp((app) => app.serverRole === "admin" && app.me?.id === member.id) && member.role !== "owner";
  const name = useSession(session, (state) => distinctName(state, member.id, member.name));
  const guest = useSession(session, (state) => state.guests.includes(member.id));
  const [asking, setAsking] = useState(false);
  const [open, setOpen] = useState(false);
  return (
    <li data-person={member.name} data-here={!!here}>
      <Avatar kind={member.kind} id={member.id} name={member.name} here={here} />
      <span className="person">
        <span className="person-name">
          <button type="button" className="person-open" aria-haspopup="dialog" onClick={() => setOpen(true)}>
            {name}
          </button>{" "}
          {member.id === me && <small>({words.common.you})</small>}
        </span>
        {member.lookalike && <small className="lookalike">{words.manage.lookalike}</small>}
        <small title={guest ? words.manage.guestMeans : undefined}>
          {/* Below the name, so that a long name does not push it out of view. */}
          {[guest && words.manage.guest, here !== undefined && (here ? words.panel.here : words.panel.away)]
            .filter(Boolean)
            .join(" · ")}
        </small>
        <DelegationLines session={session} member={member} />
      </span>
      {manages && member.id !== me ? (
        <>
          <select
            aria-label={words.panel.changeRole(name)}
            value={member.role}
            onChange={(event) => client.setRole(session, member.id, event.target.value as Role)}
          >
            {ROLES.map((role) => (
              <option key={role} value={role}>
                {words.roles[role]}
              </option>
            ))}
          </select>
          <RedactButton
            session={session}
            target={{ kind: "participant", id: member.id }}
            label={words.redaction.participant(name)}
          />
          <IconButton icon="trash" label={words.panel.remove(name)} act={() => setAsking(true)} />
        </>
      ) : (
        <span className="tag" title={admin ? words.panel.adminMeans : words.roleMeans[member.role]}>
          {admin ? words.panel.admin : words.roles[member.role]}
        </span>
      )}
      {open && (
        <PersonDialog
          session={session}
          member={member}
          here={here}
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
