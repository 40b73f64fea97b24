/** Who writes, elapsed, tokens and cost; and what a pause still waits for. */
import type { SessionId } from "../../protocol";
import { isPausing, phaseOf, running } from "../../state/ask";
import { useNow, useSession } from "../../app/hooks";
import { useFormat, useWords } from "../../i18n/locale";
import { agentName } from "../names";

export function Now({ session }: { session: SessionId }) {
  const words = useWords();
  const format = useFormat();
  const team = useSession(session, (state) => state.team);
  const run = useSession(session, (state) => state.run)!;
  const agents = useSession(session, (state) => Object.values(state.writing).map((item) => item.agent));
  const calling = useSession(session, (state) => running(state).map((call) => call.agent));
  const phase = useSession(session, phaseOf)!;
  const pausing = useSession(session, isPausing);
  const usage = useSession(session, (state) => state.usage.ofRun);
  const now = useNow(1000);
  const tokens = usage.input_tokens + usage.output_tokens;
  const namesOf = (ids: string[]) => format.list([...new Set(ids)].map((id) => agentName({ team }, id)));
  const names = namesOf(agents);
  const callers = namesOf(calling);
  const who = names ? words.control.writing(names) : callers && words.control.calling(callers);
  // That somebody works says already that the run is running.
  const state = phase === "executing" && who ? null : words.phases[phase];
  return (
    <p className="control-now">
      <span className={`state-dot ${phase}`} aria-hidden="true" />
      {(pausing || state) && <strong>{pausing ? words.control.pausing : state}</strong>}
      {who && (
        <span className="control-who" title={pausing ? words.control.pausingMeans : names || callers}>
          {pausing ? words.control.finishes(namesOf([...agents, ...calling])) : who}
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
