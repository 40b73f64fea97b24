/** Status of an execution: an icon and a word. */
import type { ExecutionStatus } from "../../../wire/executions";
import { Icon, type IconName } from "../../components/Icon";
import { useTeamsWords } from "../words";

const icons: Record<ExecutionStatus, IconName> = {
  running: "half",
  success: "check",
  failed: "warning",
  timeout: "hourglass",
  cancelled: "ban",
};

export function ExecutionStatusTag({ status }: { status: ExecutionStatus }) {
  const words = useTeamsWords().executions;
  return (
    <span className={`tag execution-status ${status}`}>
      <Icon name={icons[status]} size={11} /> {words.statuses[status]}
    </span>
  );
}
