/** One base in the list. */
import type { Base } from "../../wire/knowledge";
import { useCanEditBase } from "../../app/useMayChange";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { BaseActions } from "./BaseActions";
import { BaseReaders } from "./BaseReaders";

export function BaseRow({ base }: { base: Base }) {
  const words = useWords().knowledge;
  const format = useFormat();
  const changes = useCanEditBase(base);
  return (
    <li className="base" data-base={base.name}>
      <span className="base-face" aria-hidden="true">
        <Icon name="book" size={18} />
      </span>
      <div className="base-what">
        <PageLink to={`/knowledge/${base.id}`} className="base-name" data-moves>
          {base.name}
        </PageLink>
        {base.about && <span className="base-about">{base.about}</span>}
        <span className="base-facts">
          {words.facts(base.documents, format.bytes(base.bytes))}
          <BaseReaders base={base} />
        </span>
      </div>
      {changes && <BaseActions base={base} />}
    </li>
  );
}
