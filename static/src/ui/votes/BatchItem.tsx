/** One call of a batch: its checkbox, and a button that shows the complete call. */
import { useId } from "react";
import type { Risk } from "../../protocol";
import { RiskBadge } from "../calls/RiskBadge";
import type { GateSummary } from "../gates/gateText";
import { useVoteFormTexts } from "../../i18n/voteForms.en";

interface Props {
  summary: GateSummary;
  risk: Risk | null | undefined;
  isSelected: boolean;
  /** True if the call was selected before it changed. */
  changed: boolean;
  /** True while the call's card is shown below. */
  shown: boolean;
  disabled: boolean;
  onToggle: () => void;
  onShow: () => void;
}

export function BatchItem(props: Props) {
  const { summary, risk, isSelected, changed, shown, disabled, onToggle, onShow } = props;
  const texts = useVoteFormTexts().batch;
  const id = useId();
  return (
    <li className={changed ? "changed" : undefined}>
      <label className="batch-tick">
        <input
          type="checkbox"
          checked={isSelected}
          disabled={disabled}
          aria-labelledby={`${id}what ${id}risk`}
          aria-describedby={changed ? `${id}changed` : undefined}
          onChange={onToggle}
        />
      </label>
      <button
        type="button"
        className="gate-chip batch-call"
        aria-pressed={shown}
        title={summary.fullText}
        onClick={onShow}
      >
        <span className="batch-what" id={`${id}what`}>
          <code>{summary.title}</code> {summary.detail}
        </span>
        {changed && (
          <span className="batch-changed" id={`${id}changed`}>
            {texts.changed}
          </span>
        )}
      </button>
      <span id={`${id}risk`}>{risk && <RiskBadge risk={risk} />}</span>
    </li>
  );
}
