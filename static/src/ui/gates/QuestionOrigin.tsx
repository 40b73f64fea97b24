/** Who asks, where a server of tools does, and who reads what people answer. */
import type { Gate } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { escapeHidden } from "../../text/hiddenCharacters";

export function QuestionOrigin({ origin }: { origin: NonNullable<Gate["origin"]> }) {
  const { question } = useWords().work.gates;
  const server = escapeHidden(origin.server);
  return (
    <p className="dock-context" data-testid="origin">
      {origin.link ? question.page(server) : question.readBy(server)}
    </p>
  );
}
