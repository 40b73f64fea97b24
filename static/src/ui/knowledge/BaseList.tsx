/** List of the knowledge bases that I can read: mine, and those that others share. */
import { useRef, useState } from "react";
import type { Base } from "../../wire/knowledge";
import { useShortcuts, useListShortcuts } from "../../app/shortcuts";
import { navigate } from "../../app/route";
import { useCanCreate, useCanEditBase } from "../../app/permissions";
import { useTexts, useFormat } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { ErrorNotice } from "../components/ErrorNotice";
import { SearchField } from "../components/SearchField";
import { BaseForm } from "./BaseForm";
import { PageLink } from "../components/PageLink";
import { BaseActions } from "./BaseHeader";
import { BaseReaders } from "./BaseReaders";
import { ConnectionStatus } from "../shell/ConnectionStatus";
import { PreferenceToggles } from "../shell/PreferenceToggles";

/** Number of bases above which the list has a filter. */
const MAX_UNFILTERED_BASES = 8;

interface Props {
  /** Knowledge bases; null until they are loaded. */
  bases: Base[] | null;
  /** Error of the request; null if there is none. */
  error: string | null;
}

/** All bases that I can read: mine, and those that others share. */
export function BaseList({ bases, error }: Props) {
  const texts = useTexts().knowledge;
  const canCreate = useCanCreate();
  const [making, setMaking] = useState(false);
  const [text, setText] = useState("");
  const filter = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const filtered = (bases?.length ?? 0) > MAX_UNFILTERED_BASES;
  useListShortcuts(list);
  useShortcuts({ "Alt+s": () => filter.current?.focus() }, filtered, true);
  const query = filtered ? text.trim().toLowerCase() : "";
  const found = (bases ?? []).filter(({ name, about }) => `${name}\n${about}`.toLowerCase().includes(query));
  const ownBases = found.filter((base) => base.mine);
  const others = found.filter((base) => !base.mine);
  const createButton = (
    <button type="button" className="primary" onClick={() => setMaking(true)}>
      <Icon name="plus" /> {texts.fresh}
    </button>
  );
  return (
    <div className="knowledge-column" ref={list}>
      <header className="knowledge-head">
        <h1>{texts.title}</h1>
        {canCreate && !!bases?.length && createButton}
        <p className="soft">{texts.intro}</p>
      </header>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      {filtered && <SearchField ref={filter} label={texts.filter} text={text} onText={setText} />}
      {!bases && !error && <p className="soft">{texts.loading}</p>}
      {bases?.length === 0 && (
        <div className="knowledge-none">
          <Icon name="book" size={36} />
          <h2>{texts.none}</h2>
          <p>{canCreate ? texts.noneText : texts.noneShared}</p>
          {canCreate && createButton}
        </div>
      )}
      {query && found.length === 0 && <p className="soft">{texts.nothingNamed(text.trim())}</p>}
      <Group title={texts.yours} bases={ownBases} />
      <Group title={texts.others} bases={others} />
      {making && (
        <BaseForm onCreated={(base) => navigate(`/knowledge/${base.id}`)} onClose={() => setMaking(false)} />
      )}
    </div>
  );
}

function Group({ title, bases }: { title: string; bases: Base[] }) {
  if (bases.length === 0) return null;
  return (
    <section className="knowledge-group" aria-label={title}>
      <h2>
        {title} <span className="count">{bases.length}</span>
      </h2>
      <ul>
        {bases.map((base) => (
          <BaseRow key={base.id} base={base} />
        ))}
      </ul>
    </section>
  );
}

/** Base in the list. */
function BaseRow({ base }: { base: Base }) {
  const texts = useTexts().knowledge;
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
          {texts.facts(base.documents, format.bytes(base.bytes))}
          <BaseReaders base={base} />
        </span>
      </div>
      {changes && <BaseActions base={base} />}
    </li>
  );
}

/** Bar above every page of knowledge bases. */
export function KnowledgeBar({ back, onHelp }: { back?: boolean; onHelp: () => void }) {
  const texts = useTexts().knowledge;
  return (
    <header className="header knowledge-bar">
      {back && (
        <PageLink to="/knowledge" className="back">
          <Icon name="back" size={14} /> {texts.title}
        </PageLink>
      )}
      <ConnectionStatus session={null} />
      <PreferenceToggles onHelp={onHelp} />
    </header>
  );
}
