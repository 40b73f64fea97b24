/** Which team is offered first. */
import type { Language } from "../../protocol";
import type { TeamOffer } from "../../wire/rest";

/** The teams that speak the reader's language first, else in the server's order. */
export function teamsFor(language: Language, offered: TeamOffer[]): TeamOffer[] {
  return [...offered].sort((a, b) => Number(b.language === language) - Number(a.language === language));
}
