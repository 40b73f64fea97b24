/** A plan as it was said, folded: as it stands now it is shown in its gate, and once agreed on in the panel. */
import type { Plan, SessionId } from "../../protocol";
import { useExpanded } from "../../app/expanded";
import { useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";
import { PlanView } from "./PlanView";

interface Props {
  session: SessionId;
  /** What it stands below. */
  id: string;
  plan: Plan;
}

export function CollapsedPlan({ session, id, plan }: Props) {
  const words = useWords().work.plan;
  const [open, toggle] = useExpanded(`${session} plan ${id}`);
  return (
    <>
      <button type="button" className="text folded-plan" aria-expanded={open} onClick={toggle}>
        <Icon name="chevron" size={12} /> {open ? words.hide : words.show}
      </button>
      {open && <PlanView session={session} plan={plan} still />}
    </>
  );
}
