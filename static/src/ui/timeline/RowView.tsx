/** A row of the timeline, of any kind. */
import { memo, type ReactNode } from "react";
import type { SessionId } from "../../protocol";
import { areColumnsEqual } from "../../state/parallelParts";
import type { Row } from "../../state/timeline";
import { useTexts } from "../../i18n/locale";
import { FilesRow, NoteRow } from "./NoteRow";
import { CallRow } from "../calls/ToolCall";
import { ParallelRow, StepRow } from "./StepRow";
import { GateRow } from "./GateRow";
import { MessageRow } from "./MessageRow";
import { PendingRow } from "./PendingRow";

interface Props {
  session: SessionId;
  row: Row;
  current: boolean;
}

export const RowView = memo(
  function RowView({ session, row, current }: Props) {
    switch (row.kind) {
      case "older":
        return <OlderRow />;
      case "step":
        return <StepRow session={session} agents={row.agents} message={row.message} />;
      case "message":
        return (
          <MessageRow
            session={session}
            id={row.id}
            message={row.message}
            under={row.under}
            current={current}
          />
        );
      case "side":
        return (
          <Mark current={current}>
            <ParallelRow session={session} number={row.number} columns={row.columns} />
          </Mark>
        );
      case "call":
        return (
          <Mark current={current}>
            <CallRow session={session} call={row.call} />
          </Mark>
        );
      case "gate":
        return <GateRow session={session} gate={row.gate} current={current} />;
      case "files":
        return <FilesRow session={session} files={row.files} back={row.back} />;
      case "note":
        return (
          <Mark current={current}>
            <NoteRow session={session} note={row.note} />
          </Mark>
        );
      case "new":
        return <UnreadMarker messages={row.messages} decisions={row.decisions} />;
      case "pending":
        return <PendingRow session={session} pending={row.pending} />;
    }
  },
  (a, b) => a.session === b.session && a.current === b.current && isSameRow(a.row, b.row),
);

/** Returns whether two rows have the same content. Every event rebuilds the rows, but rarely changes them. */
function isSameRow(a: Row, b: Row): boolean {
  if (a.key !== b.key || a.kind !== b.kind) return false;
  if (a.kind === "message" && b.kind === "message") return a.message === b.message && a.under === b.under;
  if (a.kind === "step" && b.kind === "step")
    return a.agents.join() === b.agents.join() && a.message === b.message;
  if (a.kind === "side" && b.kind === "side") return areColumnsEqual(a.columns, b.columns);
  if (a.kind === "call" && b.kind === "call") return a.call === b.call;
  if (a.kind === "files" && b.kind === "files")
    return a.files.length === b.files.length && a.files.every((file, i) => file === b.files[i]);
  if (a.kind === "gate" && b.kind === "gate") return a.gate === b.gate;
  if (a.kind === "pending" && b.kind === "pending") return a.pending === b.pending;
  if (a.kind === "new" && b.kind === "new") return a.messages === b.messages && a.decisions === b.decisions;
  return true;
}

/** Row that takes the focus if it is the scroll target, so that reading continues there. */
function Mark({ current, children }: { current: boolean; children: ReactNode }) {
  return (
    <div className={current ? "mark current" : "mark"} tabIndex={-1} ref={current ? focus : undefined}>
      {children}
    </div>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true });
}

function OlderRow() {
  return <p className="older">{useTexts().timeline.older}</p>;
}

function UnreadMarker({ messages, decisions }: { messages: number; decisions: number }) {
  const texts = useTexts();
  const digest = texts.timeline.digest(messages, decisions);
  const text = digest ? `${texts.timeline.fresh} · ${digest}` : texts.timeline.fresh;
  return (
    <div className="new-line" role="separator" aria-label={text}>
      <span>{text}</span>
    </div>
  );
}
