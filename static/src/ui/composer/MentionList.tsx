/** Completions of `@` mentions, and the list that shows them above the line with the caret. */
import type { Actor, Role } from "../../protocol";
import type { Texts } from "../../i18n/en";
import type { SessionState } from "../../state/model";
import { plainTitle, Avatar, emblemOf } from "../components/Avatar";
import { useTexts } from "../../i18n/locale";

/** Completion of a mention. */
export interface MentionOption {
  /** Text inserted after the `@`: the name, or the id if others have the same name. */
  insert: string;
  name: string;
  detail: string;
  actor: { kind: Actor["kind"]; id: string; title?: string } | null;
}

const ROLES: Role[] = ["owner", "member", "reviewer", "viewer", "bot"];
const MAX_OPTIONS = 8;

/** Returns the mention at the caret: the position of its `@` and the text after it; null if there is none. */
export function mentionAt(text: string, caret: number): { from: number; query: string } | null {
  // An `@` after a letter or digit is not a mention, as in email addresses. Chinese text has no space before
  // an `@`.
  const found = /(?:^|[^A-Za-z0-9._\\-])[@＠]([\p{L}\p{N}_.:-]{0,32})$/u.exec(text.slice(0, caret));
  if (!found) return null;
  const query = found[1]!;
  return { from: caret - query.length - 1, query };
}

/** Returns the matching completions, best first. */
export function mentionOptions(
  session: Pick<SessionState, "team" | "participants">,
  query: string,
  me: string | null,
  texts: Texts,
): MentionOption[] {
  const insertFor = insertsFor(session);
  const agents: MentionOption[] = (session.team?.agents ?? []).map((agent) => ({
    insert: insertFor(agent.name, agent.id),
    name: agent.name,
    detail: plainTitle(agent) || texts.work.roles[agent.role],
    actor: { kind: "agent", id: agent.id, title: agent.title },
  }));
  const people: MentionOption[] = session.participants
    .filter((member) => member.id !== me)
    .map((member) => ({
      insert: insertFor(member.name, member.id),
      name: member.name,
      detail: texts.roles[member.role],
      actor: { kind: member.kind, id: member.id },
    }));
  const usedRoles = new Set(session.participants.map((member) => member.role));
  const roles: MentionOption[] = ROLES.filter((role) => usedRoles.has(role)).map((role) => ({
    insert: `role:${role}`,
    name: `role:${role}`,
    detail: texts.composer.everyRole(texts.roles[role]),
    actor: null,
  }));
  const all: MentionOption[] = [
    { insert: "all", name: "all", detail: texts.composer.everyone, actor: null },
    ...agents,
    ...people,
    { insert: "people", name: "people", detail: texts.composer.allPeople, actor: null },
    ...roles,
  ];
  const search = query.toLowerCase();
  return all
    .map((option, order) => ({ option, order, rank: rank(option, search) }))
    .filter(({ rank }) => rank < 3)
    .sort((a, b) => a.rank - b.rank || a.order - b.order)
    .slice(0, MAX_OPTIONS)
    .map(({ option }) => option);
}

/**
 * Returns a function that returns the text to insert for an option. The text identifies exactly this option,
 * because the server never guesses between equal names.
 */
function insertsFor(
  session: Pick<SessionState, "team" | "participants">,
): (name: string, id: string) => string {
  const agents = session.team?.agents ?? [];
  const owners = new Map<string, Set<string>>();
  for (const { name, id } of [
    ...agents.map(({ id }) => ({ name: id, id })),
    ...agents,
    ...session.participants,
  ]) {
    const key = name.toLowerCase();
    owners.set(key, (owners.get(key) ?? new Set()).add(id));
  }
  return (name, id) => (owners.get(name.toLowerCase())?.size === 1 ? name : id);
}

function rank(option: MentionOption, search: string): number {
  const name = option.name.toLowerCase();
  const { detail } = option;
  if (name.startsWith(search)) return 0;
  if (name.split(/[_\s:.-]/).some((part) => part.startsWith(search))) return 1;
  return name.includes(search) || detail.toLowerCase().includes(search) ? 2 : 3;
}

export const MENTION_LIST_ID = "composer-completion";

/** Returns the id of an option, for `aria-activedescendant`. */
export function optionId(index: number): string {
  return `${MENTION_LIST_ID}-${index}`;
}

interface Props {
  options: MentionOption[];
  chosen: number;
  onChoose: (option: MentionOption) => void;
}

/** List of completions above the line with the caret. */
export function MentionList({ options, chosen, onChoose }: Props) {
  const texts = useTexts();
  return (
    <ul className="completion" id={MENTION_LIST_ID} role="listbox" aria-label={texts.composer.completion}>
      {options.map((option, i) => (
        // The keyboard acts through the text field, which keeps the focus.
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events
        <li
          key={option.insert}
          id={optionId(i)}
          role="option"
          aria-selected={i === chosen}
          tabIndex={-1}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
        >
          {option.actor ? (
            <Avatar
              kind={option.actor.kind}
              id={option.actor.id}
              name={option.name}
              icon={emblemOf({ title: option.actor.title })}
              size="s"
            />
          ) : (
            <span className="completion-at" aria-hidden="true">
              @
            </span>
          )}
          <span>{option.name}</span>
          <small>
            {option.detail}
            {option.insert !== option.name && ` · …${option.insert.slice(-6)}`}
          </small>
        </li>
      ))}
    </ul>
  );
}
