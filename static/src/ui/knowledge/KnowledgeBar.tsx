/** The bar above every page of knowledge bases. */
import { useWords } from "../../i18n/locale";
import { Icon } from "../parts/Icon";
import { PageLink } from "../parts/PageLink";
import { ConnectionState } from "../shell/ConnectionState";
import { Switches } from "../shell/Switches";

export function KnowledgeBar({ back, onHelp }: { back?: boolean; onHelp: () => void }) {
  const words = useWords().knowledge;
  return (
    <header className="header knowledge-bar">
      {back && (
        <PageLink to="/knowledge" className="back">
          <Icon name="back" size={14} /> {words.title}
        </PageLink>
      )}
      <ConnectionState session={null} />
      <Switches onHelp={onHelp} />
    </header>
  );
}
