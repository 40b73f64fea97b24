/** One base in the list. */
import type { Base } from "../../wire/knowledge";
import { useMayChange } from "../../app/useMayChange";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { PageLink } from "../parts/PageLink";
import { BaseActs } from "./BaseActs";
import { Readers } from "./Readers";

export function BaseRow({ base }: { base: Base }) {
  const words = useWords().knowledge;
  const format = useFormat();
  const changes = useMayChange(base);
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
          <Readers base={base} />
        </span>
      </div>
      {changes && <BaseActs base={base} />}
    </li>
  );
}
