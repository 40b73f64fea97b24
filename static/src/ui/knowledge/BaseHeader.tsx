/** What a base is: its name, what is in it, whose it is, and what its owner may do with it. */
import type { Base } from "../../wire/knowledge";
import { navigate } from "../../app/route";
import { useCanEditBase } from "../../app/useMayChange";
import { useCanCreate } from "../../app/useBegins";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { BaseActions } from "./BaseActions";
import { BaseReaders } from "./BaseReaders";

export function BaseHeader({ base, onUse }: { base: Base; onUse: () => void }) {
  const words = useWords().knowledge;
  const format = useFormat();
  const changes = useCanEditBase(base);
  const begins = useCanCreate();
  const { name, about, documents, bytes, created_at } = base;
  return (
    <header className="knowledge-head">
      <h1>{name}</h1>
      <span className="knowledge-acts">
        {changes && <BaseActions base={base} named onGone={() => navigate("/knowledge")} />}
        {begins && documents > 0 && (
          <button type="button" onClick={onUse}>
            <Icon name="chat" size={14} /> {words.use}
          </button>
        )}
      </span>
      {about && <p className="knowledge-about">{about}</p>}
      <p className="base-facts">
        {words.facts(documents, format.bytes(bytes))}
        <BaseReaders base={base} />
        <span title={format.full(created_at)}>{words.since(format.brief(created_at))}</span>
      </p>
    </header>
  );
}
