/** Grouping of the server's teams in the team picker. */
import type { Language } from "../../protocol";
import type { TeamInfo } from "../../wire/rest";

/** Purpose of a team. */
type Purpose = "review" | "assistant" | "plan" | "investigate" | "other";

/** Teams with one purpose. */
export interface TeamGroup {
  purpose: Purpose;
  teams: TeamInfo[];
}

/** Maximum number of teams that are shown without headings. */
const MAX_UNGROUPED_TEAMS = 4;

const purposes: Record<string, Purpose> = {
  review: "review",
  react: "assistant",
  comprehensive: "assistant",
  router: "assistant",
  plan_solve: "plan",
  workflow: "plan",
  brain: "plan",
  investigate: "investigate",
};
const order: Purpose[] = ["review", "assistant", "plan", "investigate", "other"];

/**
 * Returns whether the team's agents work one after another, in the order of the team. In other flows, the
 * flow chooses them or they work in parallel.
 */
export function takesTurns({ flow = "review" }: TeamInfo): boolean {
  return flow === "review" || flow === "comprehensive";
}

/** Returns the teams with those in the reader's language first, otherwise in the server's order. */
export function teamsFor(language: Language, all: TeamInfo[]): TeamInfo[] {
  return [...all].sort((a, b) => Number(b.language === language) - Number(a.language === language));
}

/** Groups the teams by purpose if there are many, with teams in other languages behind a toggle. */
export function groupTeams(language: Language, all: TeamInfo[]): { groups: TeamGroup[]; others: TeamInfo[] } {
  const teams = teamsFor(language, all);
  if (teams.length <= MAX_UNGROUPED_TEAMS) return { groups: [{ purpose: "other", teams }], others: [] };
  const own = teams.filter((team) => !team.language || team.language === language);
  const shown = own.length > 0 ? own : teams;
  const groups = order.map((purpose) => ({
    purpose,
    teams: shown.filter((team) => (purposes[team.flow ?? "review"] ?? "other") === purpose),
  }));
  return {
    groups: groups.filter((group) => group.teams.length > 0),
    others: teams.filter((team) => !shown.includes(team)),
  };
}
