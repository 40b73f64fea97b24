/** Who writes, elapsed, tokens and cost; and what a pause still waits for. */
import type { SessionId } from "../../protocol";
import { isPausing, phaseOf } from "../../state/ask";
import { useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { agentName } from "../names";

export function Now({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const team = useSession(session, (state) => state.team);
  const run = useSession(session, (state) => state.run)!;
  const agents = useSession(session, (state) => Object.values(state.writing).map((item) => item.agent));
  const phase = useSession(session, phaseOf)!;
  const pausing = useSession(session, isPausing);
  const usage = useSession(session, (state) => state.usage.ofRun);
  const now = useNow(1000);
  const tokens = usage.input_tokens + usage.output_tokens;
  const names = format.list(agents.map((id) => agentName({ team }, id)));
  // That somebody writes says already that the run is running.
  const state = phase === "executing" && names ? null : words.phases[phase];
  return (
    <p className="control-now">
      <span className={`state-dot ${phase}`} aria-hidden="true" />
      {(pausing || state) && <strong>{pausing ? words.control.pausing : state}</strong>}
      {names && (
        <span className="control-who" title={pausing ? words.control.pausingMeans : names}>
          {pausing ? words.control.finishes(names) : words.control.writing(names)}
        </span>
      )}
      <span title={words.control.elapsed} className="figure">
        {format.span(now - Date.parse(run.startedAt))}
      </span>
      {tokens > 0 && (
        <span className="figure spent" title={usage.estimated ? words.control.estimated : undefined}>
          {usage.estimated && "≈ "}
          {words.control.tokens(format.compact(tokens))}
        </span>
      )}
      {usage.cost_micros > 0 && (
        <span className="figure spent" title={words.control.cost}>
          {format.cost(usage.cost_micros)}
        </span>
      )}
    </p>
  );
}
