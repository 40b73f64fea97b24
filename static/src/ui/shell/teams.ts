/** How the teams that a server offers are laid out for choosing. */
import type { Language } from "../../protocol";
import type { TeamInfo } from "../../wire/rest";

/** What a team is for, as one chooses by it. */
type Purpose = "review" | "assistant" | "plan" | "investigate" | "other";

/** Teams for one purpose. */
export interface TeamGroup {
  purpose: Purpose;
  teams: TeamInfo[];
}

/** So many teams can be overseen without headings. */
const FEW = 4;

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

/** Whether its agents work one after the other, in the order of the team; those of other flows are chosen from, or side by side. */
export function takesTurns({ flow = "review" }: TeamInfo): boolean {
  return flow === "review" || flow === "comprehensive";
}

/** The teams that speak the reader's language first, else in the server's order. */
export function teamsFor(language: Language, offered: TeamInfo[]): TeamInfo[] {
  return [...offered].sort((a, b) => Number(b.language === language) - Number(a.language === language));
}

/**
 * What is offered at once, by purpose where that helps, and what only those want who look for it: where there are many,
 * the teams that speak another language.
 */
export function groupTeams(
  language: Language,
  offered: TeamInfo[],
): { groups: TeamGroup[]; others: TeamInfo[] } {
  const teams = teamsFor(language, offered);
  if (teams.length <= FEW) return { groups: [{ purpose: "other", teams }], others: [] };
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
