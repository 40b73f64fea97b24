/** Profile of a participant, as everyone in the session sees it. Loaded on demand. */
import type { Member, SessionId } from "../../protocol";
import { rightsWith } from "../../state/participants";
import { useSession } from "../../app/hooks";
import { useProfileTexts } from "../../i18n/profile.en";
import { useTexts } from "../../i18n/locale";
import { CopyButton } from "../components/CopyButton";
import { Dialog } from "../components/Dialog";
import { distinctName } from "../names";

interface Props {
  session: SessionId;
  member: Member;
  /** Undefined without a connection. */
  isPresent?: boolean;
  /** True if the member is known to have the rights of an administrator. */
  admin: boolean;
  onClose: () => void;
}

export function PersonDialog({ session, member, isPresent, admin, onClose }: Props) {
  const all = useTexts();
  const texts = useProfileTexts();
  const name = useSession(session, (state) => distinctName(state, member.id, member.name));
  const guest = useSession(session, (state) => state.guests.includes(member.id));
  const rules = useSession(session, (state) => state.settings?.rights);
  const rights = rightsWith(member.role, rules).map((right) => all.rights[right]);
  const requestable = rightsWith(member.role, rules, "ask").map((right) => all.rights[right]);
  const facts: [string, string | false | undefined][] = [
    [texts.lookalike, member.lookalike && all.manage.lookalikeMeans],
    [texts.kind, guest ? texts.kinds.guest : texts.kinds[member.kind === "bot" ? "bot" : "user"]],
    [texts.presence, isPresent === undefined ? undefined : isPresent ? all.panel.here : all.panel.away],
    [texts.role, admin ? all.panel.admin : all.roles[member.role]],
    [texts.rights, admin ? texts.adminRights : rights.join(texts.comma)],
    [texts.asks, !admin && requestable.join(texts.comma)],
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
            <dt>{texts.id}</dt>
            <dd>
              <code>{member.id}</code> <CopyButton text={member.id} className="small" />
            </dd>
          </div>
        </dl>
        <small>{texts.copy}</small>
      </div>
    </Dialog>
  );
}
