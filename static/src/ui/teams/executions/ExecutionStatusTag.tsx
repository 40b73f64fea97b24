/** Status of an execution: an icon and a word. */
import type { PlanItemState } from "../../../protocol";
import type { ExecutionStatus, NodeStatus } from "../../../wire/executions";
import { Icon, type IconName } from "../../components/Icon";
import { useTeamsTexts } from "../../../i18n/teams.en";

const icons: Record<ExecutionStatus, IconName> = {
  running: "half",
  success: "check",
  failed: "warning",
  timeout: "hourglass",
  cancelled: "ban",
};

/** Plan item states that correspond to the status of a node. */
export const planStates: Record<NodeStatus, PlanItemState> = {
  pending: "not_started",
  running: "in_progress",
  success: "completed",
  failed: "blocked",
  skipped: "skipped",
};

export function ExecutionStatusTag({ status }: { status: ExecutionStatus }) {
  const texts = useTeamsTexts().executions;
  return (
    <span className={`tag execution-status ${status}`}>
      <Icon name={icons[status]} size={11} /> {texts.statuses[status]}
    </span>
  );
}
