/** Risk of a call, in words. */
import type { Risk } from "../../protocol";
import { useTexts } from "../../i18n/locale";
import { Icon } from "../components/Icon";

export function RiskBadge({ risk }: { risk: Risk }) {
  const { standingPermissions } = useTexts();
  return (
    <span className={`tag risk ${risk}`} title={standingPermissions.riskMeans[risk]} data-testid="risk">
      {risk === "high" && <Icon name="warning" size={12} />}
      {standingPermissions.risk[risk]}
    </span>
  );
}
