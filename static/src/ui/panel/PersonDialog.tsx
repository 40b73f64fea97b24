/** Profile of a participant, as everybody in the session sees it. Loaded on demand. */
import type { Member, SessionId } from "../../protocol";
import { rightsWith } from "../../state/participants";
import { useSession } from "../../app/hooks";
import { person as en, type PersonWords } from "../../i18n/person.en";
import { person as zh } from "../../i18n/person.zh";
import { useLocale, useWords } from "../../i18n/locale";
import { CopyButton } from "../components/CopyButton";
import { Dialog } from "../components/Dialog";
import { distinctName } from "../names";

interface Props {
  session: SessionId;
  member: Member;
  /** Absent without a connection. */
  here?: boolean;
  /** True if they have the rights of an administrator, as far as the reader knows. */
  admin: boolean;
  onClose: () => void;
}

export function PersonDialog({ session, member, here, admin, onClose }: Props) {
  const all = useWords();
  const words: PersonWords = useLocale().locale === "zh" ? zh : en;
  const name = useSession(session, (state) => distinctName(state, member.id, member.name));
  const guest = useSession(session, (state) => state.guests.includes(member.id));
  const rules = useSession(session, (state) => state.settings?.rights);
  const rights = rightsWith(member.role, rules).map((right) => all.rights[right]);
  const asks = rightsWith(member.role, rules, "ask").map((right) => all.rights[right]);
  const facts: [string, string | false | undefined][] = [
    [words.lookalike, member.lookalike && all.manage.lookalikeMeans],
    [words.kind, guest ? words.kinds.guest : words.kinds[member.kind === "bot" ? "bot" : "user"]],
    [words.presence, here === undefined ? undefined : here ? all.panel.here : all.panel.away],
    [words.role, admin ? all.panel.admin : all.roles[member.role]],
    [words.rights, admin ? words.adminRights : rights.join(words.comma)],
    [words.asks, !admin && asks.join(words.comma)],
  ];
  return (
    <Dialog title={name} onClose={onClose}>
      <div className="stack profile">
        <dl>
          {facts.map(
            ([term, fact]) =>
              fact && (
                <div key={term}>
                  <dt>{term}</dt>
                  <dd>{fact}</dd>
                </div>
              ),
          )}
          <div>
            <dt>{words.id}</dt>
            <dd>
              <code>{member.id}</code> <CopyButton text={member.id} className="small" />
            </dd>
          </div>
        </dl>
        <small>{words.copy}</small>
      </div>
    </Dialog>
  );
}
