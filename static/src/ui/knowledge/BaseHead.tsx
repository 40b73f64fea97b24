/** What a base is: its name, what is in it, whose it is, and what its owner may do with it. */
import type { Base } from "../../wire/knowledge";
import { go } from "../../app/route";
import { useMayChange } from "../../app/useMayChange";
import { useBegins } from "../../app/useBegins";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { BaseActs } from "./BaseActs";
import { Readers } from "./Readers";

export function BaseHead({ base, onUse }: { base: Base; onUse: () => void }) {
  const words = useWords().knowledge;
  const format = useFormat();
  const changes = useMayChange(base);
  const begins = useBegins();
  const { name, about, documents, bytes, created_at } = base;
  return (
    <header className="knowledge-head">
      <h1>{name}</h1>
      <span className="knowledge-acts">
        {changes && <BaseActs base={base} named onGone={() => go("/knowledge")} />}
        {begins && documents > 0 && (
          <button type="button" onClick={onUse}>
            <Icon name="chat" size={14} /> {words.use}
          </button>
        )}
      </span>
      {about && <p className="knowledge-about">{about}</p>}
      <p className="base-facts">
        {words.facts(documents, format.bytes(bytes))}
        <Readers base={base} />
        <span title={format.full(created_at)}>{words.since(format.brief(created_at))}</span>
      </p>
    </header>
  );
}
