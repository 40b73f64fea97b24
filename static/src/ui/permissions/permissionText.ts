/** Texts of standing permissions. */
import type { Actor, StandingPermission, StandingTerms } from "../../protocol";
import type { SessionState } from "../../state/model";
import type { EventFrame } from "../../wire/frames";
import type { Texts } from "../../i18n/en";
import type { Format } from "../../i18n/locale";
import { escapeHidden } from "../../text/hiddenCharacters";
import { actorName, agentName, personName } from "../names";

type NameSource = Pick<SessionState, "team" | "participants" | "formerParticipants">;

/** Returns the terms of a permission, as they were proposed. */
export function termsOf(permission: StandingPermission): StandingTerms {
  return {
    arguments: permission.arguments_digest ? "same" : "any",
    this_run: !!permission.run,
    until: permission.until,
    max_uses: permission.max_uses,
  };
}

/** Returns the limits of the terms as text. The first limit that is reached ends the permission. */
export function limitsText(terms: StandingTerms, texts: Texts, format: Format): string[] {
  const { limits } = texts.standingPermissions;
  return [
    terms.this_run ? limits.run : "",
    terms.until ? limits.until(format.timeOrMinute(terms.until)) : "",
    terms.max_uses ? limits.uses(terms.max_uses) : "",
  ].filter(Boolean);
}

/** Describes what an approval allows beyond the call. */
export function proposalText(tool: string, terms: StandingTerms, texts: Texts, format: Format): string {
  const { proposed, arguments: argumentTexts } = texts.standingPermissions;
  return proposed(escapeHidden(tool), argumentTexts[terms.arguments], limitsText(terms, texts, format));
}

/** Describes a permission that `by` and other voters granted. */
function grantText(
  permission: StandingPermission,
  by: Actor,
  known: NameSource,
  texts: Texts,
  format: Format,
): string {
  const names = permission.granted_by.map((id) =>
    id === by.id ? actorName(by, texts, known) : personName(known, id),
  );
  const terms = termsOf(permission);
  const granters = names.length > 0 ? format.list(names) : actorName(by, texts, known);
  const agent = agentName(known, permission.agent);
  const [tool, argumentText] = [
    escapeHidden(permission.tool),
    texts.standingPermissions.arguments[terms.arguments],
  ];
  return permission.rule
    ? texts.standingPermissions.learned(granters, agent, tool, argumentText)
    : texts.standingPermissions.granted(
        granters,
        agent,
        tool,
        argumentText,
        limitsText(terms, texts, format),
      );
}

/**
 * Describes the grant or the revocation of a permission. Returns null for other events. `permission` is the
 * revoked permission, or undefined if it was granted before all known events.
 */
export function permissionText(
  frame: EventFrame,
  permission: StandingPermission | undefined,
  known: NameSource,
  texts: Texts,
  format: Format,
): string | null {
  if (frame.event === "permission.granted")
    return grantText(frame.data.permission, frame.by, known, texts, format);
  if (frame.event !== "permission.revoked") return null;
  const { revoked, revokedUnknown, expired, expiredUnknown } = texts.standingPermissions;
  const name = actorName(frame.by, texts, known);
  const isExpired = !!frame.data.expired;
  if (!permission) return isExpired ? expiredUnknown : revokedUnknown(name);
  const [agent, tool] = [agentName(known, permission.agent), escapeHidden(permission.tool)];
  return isExpired ? expired(agent, tool) : revoked(name, agent, tool);
}
