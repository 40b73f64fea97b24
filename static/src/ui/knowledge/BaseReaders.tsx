/** Owner and readers of a knowledge base, in a few words. */
import type { Base } from "../../wire/knowledge";
import { useTexts } from "../../i18n/locale";
import { Avatar } from "../components/Avatar";
import { Icon } from "../components/Icon";

/** Owner of a base, and its readers. */
export function BaseReaders({ base }: { base: Base }) {
  const texts = useTexts().knowledge;
  const { owner, mine, readers } = base;
  const named = readers.participants ?? [];
  const teams = readers.teams ?? [];
  return (
    <>
      {!mine && (
        <span className="base-owner">
          <Avatar kind="user" id={owner.id} name={owner.name} size="s" /> {owner.name}
        </span>
      )}
      {readers.members ? (
        mine && (
          <span className="tag" title={texts.sharedMeans}>
            <Icon name="people" size={11} /> {texts.shared}
          </span>
        )
      ) : named.length > 0 ? (
        <span className="tag" title={texts.namedMeans(named.map((reader) => reader.name))}>
          <Icon name="people" size={11} /> {texts.named(named.length)}
        </span>
      ) : (
        <span className="tag" title={mine ? texts.privateMeans : texts.unsharedMeans}>
          <Icon name="lock" size={11} /> {mine ? texts.private : texts.unshared}
        </span>
      )}
      {teams.length > 0 && (
        <span className="tag" title={teams.join(", ")}>
          {texts.form.teams} {texts.form.teamsChosen(teams.length)}
        </span>
      )}
    </>
  );
}
