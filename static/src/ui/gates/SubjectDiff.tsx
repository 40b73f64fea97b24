/** Differences between two versions of a gate's subject. */
import { useMemo } from "react";
import { useTexts } from "../../i18n/locale";
import { JsonText } from "../calls/TextBlock";
import { escapeHidden, escapeBidi } from "../../text/hiddenCharacters";
import { splitArguments } from "../calls/CallArguments";
import { sortKeysLike } from "../../json/jsonText";
import type { PlanItem, Gate, SessionId } from "../../protocol";
import { splitParts } from "../../state/plan";
import { useMe, useSession } from "../../app/hooks";
import { agentName, actorName } from "../names";
import { Icon } from "../components/Icon";
import { onDemand } from "../components/onDemand";
import { budgetChanges } from "../../state/budget";

const BudgetDiff = onDemand(() => import("../budget/BudgetDiff").then((part) => part.BudgetDiff));

interface DiffLine {
  kind: "same" | "gone" | "new";
  text: string;
}

/**
 * Maximum number of lines to compare. Longer text is shown as a single change, because people could not
 * follow the lines anyway.
 */
const MAX_LINES = 400;

/** Returns the lines of both texts in order, with common lines only once. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  if (a.length > MAX_LINES || b.length > MAX_LINES) return [...all("gone", a), ...all("new", b)];
  const common = lengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i]! });
      i++;
      j++;
    } else if (common[i + 1]![j]! >= common[i]![j + 1]!) lines.push({ kind: "gone", text: a[i++]! });
    else lines.push({ kind: "new", text: b[j++]! });
  }
  return [...lines, ...all("gone", a.slice(i)), ...all("new", b.slice(j))];
}

/** Returns the lengths of the longest common subsequences of all pairs of suffixes. */
function lengths(a: string[], b: string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i]![j] =
        a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  return table;
}

function all(kind: DiffLine["kind"], lines: string[]): DiffLine[] {
  return lines.map((text) => ({ kind, text }));
}

interface Props {
  /** Name of the changed argument, if it is shown separately. */
  name?: string;
  before: string;
  after: string;
  /** True if the text is JSON whose strings must be isolated. */
  json?: boolean;
}

/** Line diff between the current text and the edited one. */
export function TextDiff({ name, before, after, json }: Props) {
  const { gates } = useTexts().work;
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const changed = lines.some((line) => line.kind !== "same");
  return (
    <div className="changes">
      <p className="subhead">
        {gates.changes} {name && <code>{escapeHidden(name)}</code>}
      </p>
      {changed ? (
        // Scrollable content must be reachable with the keyboard.
        <pre tabIndex={0} aria-label={gates.changes} role="group">
          {lines.map((line, i) => (
            <span key={i} className={`diff ${line.kind}`}>
              {{ same: "  ", gone: "− ", new: "+ " }[line.kind]}
              {json ? <JsonText text={line.text} /> : line.text}
              {"\n"}
            </span>
          ))}
        </pre>
      ) : (
        <p className="soft">{gates.unchanged}</p>
      )}
    </div>
  );
}

interface ArgumentsDiffProps {
  tool: string;
  before: string;
  after: string;
}

/** Diff of a call's arguments: text line by line, and the rest as JSON. */
export function ArgumentsDiff({ tool, before, after }: ArgumentsDiffProps) {
  // Incomplete JSON is shown as written.
  const [old, now] = useMemo(() => {
    const split = (json: string) => splitArguments(tool, sortKeysLike(before, json));
    return [split(before), split(after)] as const;
  }, [tool, before, after]);
  const names = [...new Set([...old.textArguments, ...now.textArguments].map(({ name }) => name))];
  const textIn = ({ textArguments }: typeof old, name: string) =>
    escapeHidden(textArguments.find((one) => one.name === name)?.text ?? "");
  const changed = names.filter((name) => textIn(old, name) !== textIn(now, name));
  const [rest, next] = [old.rest ?? "{}", now.rest ?? "{}"];
  return (
    <>
      {(rest !== next || changed.length === 0) && <TextDiff before={rest} after={next} json />}
      {changed.map((name) => (
        <TextDiff key={name} name={name} before={textIn(old, name)} after={textIn(now, name)} />
      ))}
    </>
  );
}

/** Returns the plan as text, one line per part. */
export function planText(items: PlanItem[], name: (agent: string) => string): string {
  const lines = items.flatMap((item) => {
    const by = item.agent ? ` (${name(item.agent)})` : "";
    return splitParts(item).map((part, i) => `${i === 0 ? "" : "  ‖ "}${part}${by}`);
  });
  return escapeBidi(lines.join("\n"));
}

interface RevisionNoticeProps {
  session: SessionId;
  gate: Gate;
}

/** Notice that someone edited the subject while it was on screen, with the diff. */
export function RevisionNotice({ session, gate }: RevisionNoticeProps) {
  const texts = useTexts();
  const { gates } = texts.work;
  const me = useMe();
  const people = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const revision = useSession(session, (state) => state.revised[gate.id]);
  // A proposed permission does not change arguments.
  const unchanged = useSession(
    session,
    (state) =>
      !!gate.call && !!gate.standing && state.calls[gate.call]?.arguments === revision?.before.arguments,
  );
  if (!revision || revision.by.id === me) return null;
  const name = actorName(revision.by, texts, people);
  return (
    <div className="dock-revised" data-testid="revised">
      <Icon name={unchanged ? "key" : "pencil"} size={14} />{" "}
      <span>{unchanged ? texts.standingPermissions.revised(name) : gates.revised(name)}</span>
      {gate.budget && revision.before.budget && (
        <BudgetDiff
          changes={budgetChanges(
            { ...revision.before.budget, model: revision.before.model },
            { ...gate.budget, model: gate.model },
          )}
          label={gates.whatChanged}
        />
      )}
      {!unchanged && !gate.budget && (
        <details>
          <summary>{gates.whatChanged}</summary>
          <Difference session={session} gate={gate} />
        </details>
      )}
    </div>
  );
}

function Difference({ session, gate }: RevisionNoticeProps) {
  const team = useSession(session, (state) => state.team);
  const before = useSession(session, (state) => state.revised[gate.id]?.before);
  const call = useSession(session, (state) => (gate.call ? state.calls[gate.call] : undefined));
  const plan = useSession(session, (state) => state.run?.plan);
  if (call && before?.arguments !== undefined)
    return <ArgumentsDiff tool={call.name} before={before.arguments} after={call.arguments} />;
  const name = (id: string) => agentName({ team }, id);
  return plan && before?.plan ? (
    <TextDiff before={planText(before.plan.items, name)} after={planText(plan.items, name)} />
  ) : null;
}
