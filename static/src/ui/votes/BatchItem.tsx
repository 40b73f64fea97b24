/** One call of a batch: its checkbox, and a button that shows the complete call. */
import { useId } from "react";
import type { Risk } from "../../protocol";
import { RiskBadge } from "../calls/RiskBadge";
import type { GateSummary } from "../gates/gateText";
import { useVotingWords } from "./words";

interface Props {
  summary: GateSummary;
  risk: Risk | null | undefined;
  ticked: boolean;
  /** True if it was ticked before it changed. */
  changed: boolean;
  /** True while its card is shown below. */
  shown: boolean;
  disabled: boolean;
  onTick: () => void;
  onShow: () => void;
}

export function BatchItem(props: Props) {
  const { summary, risk, ticked, changed, shown, disabled, onTick, onShow } = props;
  const words = useVotingWords().batch;
  const id = useId();
  return (
    <li className={changed ? "changed" : undefined}>
      <label className="batch-tick">
        <input
          type="checkbox"
          checked={ticked}
          disabled={disabled}
          aria-labelledby={`${id}what ${id}risk`}
          aria-describedby={changed ? `${id}changed` : undefined}
          onChange={onTick}
        />
      </label>
      <button
        type="button"
        className="gate-chip batch-call"
        aria-pressed={shown}
        title={summary.whole}
        onClick={onShow}
      >
        <span className="batch-what" id={`${id}what`}>
          <code>{summary.what}</code> {summary.detail}
        </span>
        {changed && (
          <span className="batch-changed" id={`${id}changed`}>
            {words.changed}
          </span>
        )}
      </button>
      <span id={`${id}risk`}>{risk && <RiskBadge risk={risk} />}</span>
    </li>
  );
}
