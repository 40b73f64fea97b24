/** Conversation: one column in log order. Only the rows on screen are rendered. */
import { type Row, rowIndexOf, runningKey, buildRows, countAfter, newestSeq } from "../../state/timeline";
import { defaultRangeExtractor, elementScroll, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { SessionId } from "../../protocol";
import { isBusy } from "../../state/runSelectors";
import { canSend } from "../../state/participants";
import { useClient, useMe, useSession } from "../../app/hooks";
import { useShortcuts } from "../../app/shortcuts";
import { scrollToRow, useScrollTarget } from "../../app/viewState";
import { useUnreadRange } from "../../app/unread";
import { useTexts, useFormat } from "../../i18n/locale";
import { RowView } from "./RowView";
import { useAutoScroll } from "./useAutoScroll";
import { Icon } from "../components/Icon";
import { useDraft } from "../../app/drafts";
import { focusComposer } from "../composer/focusComposer";
import { Avatar, emblemOf } from "../components/Avatar";
import { Starters } from "../components/Starters";

/** Returns the index of the sticky heading of each row, or -1 for a row without one. */
function stickyHeadings(rows: Row[]): Int32Array {
  const sticky = new Int32Array(rows.length).fill(-1);
  let heading = -1;
  for (const [i, row] of rows.entries()) {
    if (row.kind === "step") heading = i;
    else if (row.kind !== "message" || (row.message && row.message.by.kind !== "agent")) heading = -1;
    sticky[i] = heading;
  }
  return sticky;
}

/** Height of the sticky heading above a row that is scrolled to, in pixels. */
const HEADING = 56;

const ESTIMATED_HEIGHTS: Record<Row["kind"], number> = {
  older: 40,
  step: 48,
  message: 140,
  side: 260,
  call: 36,
  gate: 34,
  note: 32,
  files: 36,
  new: 36,
  pending: 70,
};

/** Conversation: one column in log order. Only the rows on screen are rendered. */
export function Conversation({ session }: { session: SessionId }) {
  const client = useClient();
  const texts = useTexts();
  const me = useMe();
  const unread = useUnreadRange(session);
  const scroller = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const [marked, mark] = useState<string | null>(null);
  const loaded = useSession(session, (state) => state.loaded);
  const source = useSession(session, (state) => ({
    messages: state.messages,
    gates: state.gates,
    notes: state.notes,
    inbox: state.inbox,
    calls: state.calls,
    files: state.files,
    pending: state.pending,
    more: state.more,
    running: runningKey(state),
    busy: isBusy(state),
  }));
  const rows = useMemo(() => buildRows(source, unread, me), [source, unread, me]);
  // A session that contains only notes, for example about participants or settings, is shown as empty.
  const isEmpty = rows.every((row) => row.kind === "note");
  const sticky = useMemo(() => stickyHeadings(rows), [rows]);
  const stickyIndex = useRef(-1);
  // The row is found by key, because loading rows above it changes its index.
  const current = useMemo(() => rows.findIndex((row) => row.key === marked), [rows, marked]);

  // An empty session has nothing to scroll.
  const { following, toEnd, release, onAdjust } = useAutoScroll(scroller, column, loaded && !isEmpty);

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((index: number) => rows[index]!.key, [rows]),
    estimateSize: useCallback((index: number) => ESTIMATED_HEIGHTS[rows[index]!.kind], [rows]),
    rangeExtractor: useCallback(
      (range: Range) => {
        stickyIndex.current = sticky[range.startIndex] ?? -1;
        const shown = defaultRangeExtractor(range);
        return stickyIndex.current >= 0 && !shown.includes(stickyIndex.current)
          ? [stickyIndex.current, ...shown]
          : shown;
      },
      [sticky],
    ),
    overscan: 6,
    anchorTo: "end",
    scrollToFn: useCallback<typeof elementScroll>(
      (...scroll) => {
        onAdjust();
        elementScroll(...scroll);
      },
      [onAdjust],
    ),
    scrollPaddingStart: HEADING,
    paddingStart: 12,
    paddingEnd: 16,
  });
  const items = virtual.getVirtualItems();

  // A session opens at its newest message.
  const opened = useRef<SessionId | null>(null);
  useLayoutEffect(() => {
    if (!loaded || isEmpty || opened.current === session) return;
    opened.current = session;
    toEnd();
  }, [loaded, isEmpty, session, toEnd]);

  // After sending, the view moves to the new message, wherever the reader was.
  const sentRow = rows.at(-1)?.kind === "pending" ? rows.at(-1)!.key : null;
  useLayoutEffect(() => {
    if (sentRow) toEnd();
  }, [sentRow, toEnd]);

  const needsOlder = rows[0]?.kind === "older" && items[0]?.index === 0 && opened.current === session;
  useEffect(() => {
    if (needsOlder) void client.loadOlder(session);
  }, [needsOlder, rows.length, client, session]);

  // The target of a link in the Gantt chart can be above the loaded messages.
  const scrollTarget = useScrollTarget();
  const targetRow = scrollTarget?.session === session ? scrollTarget.row : null;
  const more = source.more;
  useEffect(() => {
    if (!targetRow || !loaded || isEmpty) return;
    const at = rowIndexOf(rows, targetRow);
    if (at < 0 && more) return void client.loadOlder(session);
    scrollToRow(null);
    if (at < 0) return;
    release();
    mark(rows[at]!.key);
    virtual.scrollToIndex(at, { align: "start" });
  }, [targetRow, rows, more, loaded, isEmpty, client, session, release, virtual]);

  const move = (by: 1 | -1) => {
    const from = current >= 0 ? current : by > 0 ? -1 : rows.length;
    for (let at = from + by; at >= 0 && at < rows.length; at += by) {
      if (rows[at]!.kind !== "message" && rows[at]!.kind !== "gate") continue;
      mark(rows[at]!.key);
      virtual.scrollToIndex(at, { align: "auto" });
      return;
    }
  };
  useShortcuts({ "Alt+j": () => move(1), "Alt+k": () => move(-1) });

  if (loaded && isEmpty) return <EmptyTimeline session={session} />;
  return (
    <div className="timeline-frame">
      <div
        ref={scroller}
        className="timeline"
        role="log"
        aria-live="off"
        aria-label={texts.timeline.label}
        tabIndex={0}
      >
        <div ref={column} className="timeline-column" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index]!;
            const isSticky = item.index === stickyIndex.current;
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                className={isSticky ? "row held" : "row"}
                style={isSticky ? undefined : { transform: `translateY(${item.start}px)` }}
              >
                <RowView session={session} row={row} current={item.index === current} />
              </div>
            );
          })}
        </div>
      </div>
      {!following && <JumpToLatest rows={rows} onJump={toEnd} />}
    </div>
  );
}

/** Button back to the newest message, with the number of messages since the reader scrolled away. */
function JumpToLatest({ rows, onJump }: { rows: Row[]; onJump: () => void }) {
  const texts = useTexts();
  // The button appears when the reader scrolls away from the end, where they have seen everything. Older
  // messages that are loaded above are not new.
  const [lastSeen] = useState(() => newestSeq(rows));
  const newMessages = countAfter(rows, lastSeen);
  return (
    <button type="button" className={newMessages ? "jump fresh" : "jump"} onClick={onJump}>
      <Icon name="down" size={14} />
      {newMessages ? texts.timeline.jumpNew(newMessages) : texts.timeline.jump}
    </button>
  );
}

/** Hint in a session without messages. */
function EmptyTimeline({ session }: { session: SessionId }) {
  const texts = useTexts();
  const format = useFormat();
  const agents = useSession(session, (state) => state.team?.agents ?? null) ?? [];
  const starters = useSession(session, (state) => state.team?.starters ?? null) ?? [];
  const canSendMessages = useSession(session, (state) => canSend(state, "steer"));
  const [, setDraft] = useDraft(session);
  const first = agents.filter((agent) => agent.role !== "optimizer");
  return (
    <div className="empty">
      <div className="empty-faces">
        {agents.map((agent) => (
          <Avatar key={agent.id} kind="agent" id={agent.id} name={agent.name} icon={emblemOf(agent)} />
        ))}
      </div>
      <h2>{texts.timeline.emptyTitle}</h2>
      <p>{texts.timeline.empty(format.list(first.map((agent) => agent.name)))}</p>
      {canSendMessages && (
        <Starters
          starters={starters}
          onPick={(text) => {
            setDraft(text);
            focusComposer();
          }}
        />
      )}
    </div>
  );
}
