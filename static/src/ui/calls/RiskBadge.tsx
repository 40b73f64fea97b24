/** Risk of a call, in words. */
import type { Risk } from "../../protocol";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

export function RiskBadge({ risk }: { risk: Risk }) {
  const { standing } = useWords();
  return (
    <span className={`tag risk ${risk}`} title={standing.riskMeans[risk]} data-testid="risk">
      {risk === "high" && <Icon name="warning" size={12} />}
      {standing.risk[risk]}
    </span>
  );
}
