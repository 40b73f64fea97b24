/** Who worked when in the run: a lane for each agent, one for people and one for pauses; a table of it, and what it cost. */
import { Fragment, useEffect, useMemo } from "react";
import type { SessionId } from "../../protocol";
import { isActive } from "../../state/ask";
import { lanesOf, type Lane } from "../../state/spans";
import { lengthOf, waitsOf, workOf, type Stretch } from "../../state/stretches";
import { useRequest } from "../../app/useRequest";
import { useClient, useNow, useSession } from "../../app/hooks";
import { useMoney } from "../../app/useMoney";
import { useFormat, useWords } from "../../i18n/locale";
import { laneName, Legend } from "./Legend";
import { SpanTable } from "./SpanTable";

export function TimeLine({ session }: { session: SessionId }) {
  const words = useWords().work.time;
  const client = useClient();
  const run = useSession(session, (state) => state.run);
  const spans = useSession(session, (state) => state.spans);
  const active = useSession(session, isActive);
  const [asking, request] = useRequest();
  const now = useNow(1000, active);
  const lanes = useMemo(() => (run ? lanesOf(spans, run.id) : []), [spans, run]);
  // The page may have been opened in the middle of it.
  const joined = useSession(session, (state) => state.joined && state.caughtUp);
  const id = run?.id;
  useEffect(() => {
    if (id && joined) void request(() => client.tellRun(session, id));
  }, [client, session, id, joined, request]);
  if (!run || lanes.length === 0) return <p className="soft">{asking.busy ? words.loading : words.none}</p>;
  const from = Date.parse(run.startedAt);
  const ends = lanes.flatMap((lane) => lane.spans.map((span) => (span.to ? Date.parse(span.to) : now)));
  const to = Math.max(from + 1000, active ? now : 0, ...ends);
  return (
    <section className="time" aria-label={words.tab}>
      <Sum session={session} took={to - from} />
      <div className="lanes">
        {lanes.map((lane) => (
          <LaneView
            key={`${lane.of} ${lane.agent}`}
            session={session}
            lane={lane}
            from={from}
            to={to}
            now={now}
          />
        ))}
      </div>
      <Legend lanes={lanes} />
      {asking.refusal && <p className="soft">{words.failed}</p>}
      <SpanTable session={session} spans={lanes.flatMap((lane) => lane.spans)} now={now} />
    </section>
  );
}

/** How long it took and what it cost. */
function Sum({ session, took }: { session: SessionId; took: number }) {
  const words = useWords();
  const format = useFormat();
  const money = useMoney();
  const usage = useSession(session, (state) => state.usage.ofRun);
  const tokens = usage.input_tokens + usage.output_tokens;
  return (
    <p className="time-sum">
      <strong>{words.work.time.total}</strong>
      <span title={words.control.elapsed}>{format.took(took)}</span>
      {tokens > 0 && (
        <span>
          {usage.estimated && "≈ "}
          {words.control.tokens(format.compact(tokens))}
        </span>
      )}
      {usage.cost_micros > 0 && <span title={words.control.cost}>{money(usage.cost_micros)}</span>}
    </p>
  );
}

interface LaneProps {
  session: SessionId;
  lane: Lane;
  from: number;
  to: number;
  now: number;
}

function LaneView({ session, lane, from, to, now }: LaneProps) {
  const words = useWords().work.time;
  const format = useFormat();
  const team = useSession(session, (state) => state.team);
  const name = laneName(lane, team, words);
  const work = lengthOf(lane.spans.flatMap((span) => workOf(span, now)));
  const waiting = lengthOf(lane.spans.flatMap((span) => waitsOf(span, now)));
  const waits = waiting > 0 ? words.waits(format.took(waiting)) : "";
  const bar = (kind: string, title: string) => (stretch: Stretch) => (
    <span
      key={`${kind} ${stretch.from}`}
      className={`span ${kind}`}
      style={{
        left: `${(100 * (stretch.from - from)) / (to - from)}%`,
        width: `${(100 * (stretch.to - stretch.from)) / (to - from)}%`,
      }}
      title={`${title}, ${format.took(stretch.to - stretch.from)}`}
    />
  );
  return (
    <div className="lane">
      <span className="lane-head">
        <span className="lane-name">{name}</span>
        <small>{[format.took(work), waits].filter(Boolean).join(" · ")}</small>
      </span>
      <div
        className="lane-spans"
        role="img"
        aria-label={[words.lane(name, lane.spans.length, format.took(work)), waits]
          .filter(Boolean)
          .join(", ")}
      >
        {lane.spans.map((span) => {
          const what = span.kind === "call" ? words.call(span.label) : words[span.kind];
          return (
            <Fragment key={span.id}>
              {workOf(span, now).map(bar(`${span.kind} ${span.outcome ?? "running"}`, what))}
              {waitsOf(span, now).map(bar("wait", words.gate))}
            </Fragment>
          );
        })}
      </div>
    </div>
  );
}
