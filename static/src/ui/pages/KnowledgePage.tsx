/** `/knowledge` shows all knowledge bases, and `/knowledge/3` shows one. */
import { useBases } from "../../app/knowledgeBases";
import { useTexts } from "../../i18n/locale";
import type { Base } from "../../wire/knowledge";
import { BasePage } from "../knowledge/BasePage";
import { BaseList, KnowledgeBar } from "../knowledge/BaseList";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { ErrorNotice } from "../components/ErrorNotice";

interface Props {
  /** Id of the base; null shows all bases. */
  id: number | null;
  onUse: (base: Base) => void;
  onHelp: () => void;
}

export function KnowledgePage({ id, onUse, onHelp }: Props) {
  const { title } = useTexts().knowledge;
  const { bases, error } = useBases(id);
  const base = bases?.find((one) => one.id === id);
  return (
    <main className="middle" id="conversation" tabIndex={-1}>
      {base ? (
        <BasePage key={base.id} base={base} onUse={onUse} onHelp={onHelp} />
      ) : (
        <>
          <KnowledgeBar back={id !== null} onHelp={onHelp} />
          <div className="knowledge">
            {id === null ? (
              <BaseList bases={bases} error={error} />
            ) : bases ? (
              <UnknownBase />
            ) : (
              <>
                <h1 className="hidden">{title}</h1>
                {error && <ErrorNotice>{error}</ErrorNotice>}
              </>
            )}
          </div>
        </>
      )}
    </main>
  );
}

function UnknownBase() {
  const texts = useTexts().knowledge.unopened;
  return (
    <div className="empty">
      <Icon name="warning" size={36} />
      <h1>{texts.title}</h1>
      <p role="alert">{texts.text}</p>
      <PageLink to="/knowledge" className="button">
        {texts.back}
      </PageLink>
    </div>
  );
}
