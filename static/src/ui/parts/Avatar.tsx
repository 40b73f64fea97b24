/** People, bots and agents told apart by shape: a circle, a square, a hexagon. */
import type { ActorKind, Agent } from "../../protocol";
import { firstCharacter, initials } from "./initials";

interface Props {
  kind: ActorKind;
  id: string;
  name: string;
  /** The agent's emblem, where its title begins with one. */
  emblem?: string;
  size?: "s" | "m";
  here?: boolean;
}

const HUES = 8;

export function Avatar({ kind, id, name, emblem, size = "m", here }: Props) {
  return (
    <span
      className={`avatar ${kind} ${size}${here ? " here" : ""}`}
      data-hue={kind === "agent" || kind === "system" ? undefined : hueOf(id)}
      aria-hidden="true"
    >
      <span className="avatar-face">{emblem ?? initials(name)}</span>
    </span>
  );
}

/** The emblem at the head of an agent's title: "🎯 Test case author". */
export function emblemOf(agent: Pick<Agent, "title"> | undefined): string | undefined {
  const first = firstCharacter(agent?.title?.trim() ?? "");
  return first && /\p{Emoji_Presentation}|\p{Extended_Pictographic}/u.test(first) ? first : undefined;
}

/** The title without its emblem. */
export function plainTitle(agent: Pick<Agent, "title"> | undefined): string {
  const title = agent?.title?.trim() ?? "";
  const emblem = emblemOf(agent);
  return emblem ? title.slice(emblem.length).trim() : title;
}

function hueOf(id: string): number {
  let hash = 0;
  for (const char of id) hash = (hash * 31 + char.codePointAt(0)!) >>> 0;
  return hash % HUES;
}
