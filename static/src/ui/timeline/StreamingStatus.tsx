/** How far an agent is with its message. */
import type { StreamingMessage } from "../../state/model";
import { useFormat, useWords } from "../../i18n/locale";
import { Icon } from "../components/Icon";

export function StreamingStatus({ item }: { item: StreamingMessage }) {
  const words = useWords();
  return (
    <span className="writing-state">
      {(item.attempt > 1 || item.recovered) && (
        <span className="tag">
          {item.recovered ? words.timeline.recovered : words.timeline.attempt(item.attempt)}
        </span>
      )}
      <span className="pulse" aria-hidden="true" />
      {item.text ? words.timeline.writing : words.timeline.starting}
    </span>
  );
}

/** Why the attempt failed, until the next one begins. */
export function AttemptFailure({ item }: { item: StreamingMessage }) {
  const words = useWords();
  const format = useFormat();
  if (!item.failure && !item.retry_at) return null;
  return (
    <p className="failure">
      <Icon name="warning" size={14} />
      <span>
        {item.failure && words.timeline.failedAttempt(item.failure.message)}{" "}
        {item.retry_at && words.timeline.retryAt(format.precise(item.retry_at))}
      </span>
    </p>
  );
}
