/**
 * Avatars: a circle for people, a square for bots, a hexagon for agents. People are distinguished by the
 * pattern around the letters, which is derived from the id alone, because a name can be copied, but an id
 * cannot. The session assigns the color.
 */
import { useContext } from "react";
import type { ActorKind, Agent } from "../../protocol";
import { ParticipantColorsContext } from "../../app/hooks";
import { hashOf, colorOf } from "../../state/participantColors";

interface Props {
  kind: ActorKind;
  id: string;
  name: string;
  /** Emblem of the agent, if its title begins with one. */
  icon?: string;
  size?: "s" | "m";
  isPresent?: boolean;
}

export function Avatar({ kind, id, name, icon, size = "m", isPresent }: Props) {
  const color = useContext(ParticipantColorsContext)[id] ?? colorOf(id);
  return (
    <span
      className={`avatar ${kind} ${size}${isPresent ? " here" : ""}`}
      data-hue={kind === "agent" || kind === "system" ? undefined : color}
      aria-hidden="true"
    >
      {(kind === "user" || kind === "bot") && <Pattern id={id} />}
      <span className="avatar-face">{icon ?? initials(name)}</span>
    </span>
  );
}

/**
 * Returns the emblem at the start of an agent's title, such as 🎯 in "🎯 Test case author"; undefined if there
 * is none.
 */
export function emblemOf(agent: Pick<Agent, "title"> | undefined): string | undefined {
  const first = firstCharacter(agent?.title?.trim() ?? "");
  return first && /\p{Emoji_Presentation}|\p{Extended_Pictographic}/u.test(first) ? first : undefined;
}

/** Returns the title without its emblem. */
export function plainTitle(agent: Pick<Agent, "title"> | undefined): string {
  const title = agent?.title?.trim() ?? "";
  const emblem = emblemOf(agent);
  return emblem ? title.slice(emblem.length).trim() : title;
}

/** Ring of sixteen dashes; the id determines which of them are present. */
function Pattern({ id }: { id: string }) {
  const bits = hashOf(`pattern ${id}`);
  const dashes = Array.from({ length: 16 }, (_, at) => at).filter((at) => (bits >>> (at + 8)) & 1);
  return (
    <svg className="avatar-pattern" viewBox="-20 -20 40 40">
      {dashes.map((at) => (
        <path key={at} d="M -2.6 -18.6 H 2.6" transform={`rotate(${at * 22.5})`} />
      ))}
    </svg>
  );
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function characters(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Returns the first character of the text, if any. */
function firstCharacter(text: string): string | undefined {
  return segmenter.segment(text).containing(0)?.segment;
}

/**
 * Returns the first character of a name if it is Chinese or an emoji, otherwise up to two letters; "?" if the
 * name is empty.
 */
export function initials(name: string): string {
  const [first, second] = name
    .split(/[\s_.-]+/)
    .filter(Boolean)
    .map(characters);
  if (!first) return "?";
  if (/\p{Script=Han}|\p{Emoji_Presentation}|\p{Extended_Pictographic}/u.test(first[0]!)) return first[0]!;
  return (second ? [first[0], second[0]] : first.slice(0, 2)).join("").toUpperCase();
}
