/** The bar above every page of knowledge bases. */
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PageLink } from "../components/PageLink";
import { ConnectionStatus } from "../shell/ConnectionStatus";
import { PreferenceToggles } from "../shell/PreferenceToggles";

export function KnowledgeBar({ back, onHelp }: { back?: boolean; onHelp: () => void }) {
  const words = useWords().knowledge;
  return (
    <header className="header knowledge-bar">
      {back && (
        <PageLink to="/knowledge" className="back">
          <Icon name="back" size={14} /> {words.title}
        </PageLink>
      )}
      <ConnectionStatus session={null} />
      <PreferenceToggles onHelp={onHelp} />
    </header>
  );
}
