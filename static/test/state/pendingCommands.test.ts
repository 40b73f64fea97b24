import { describe, expect, it } from "vitest";
import { emptyApp, type AppState } from "../../src/state/model";
import { serverDelay, unacknowledgedCommands } from "../../src/state/pendingCommands";
import { reduce } from "../../src/state/reducer";
import { runningKey, buildRows } from "../../src/state/timeline";
import { after, ann, joinedAll, log, SESSION, welcome } from "./log";

function give(app: AppState, id: string, text: string): AppState {
  const command = { id, session: SESSION, do: "say", data: { text, mode: "queue" } };
  return reduce(app, { type: "command_added", pending: { command, at: 1 } });
}

const pendingRows = (app: AppState) => {
  const session = app.sessions[SESSION]!;
  const source = { ...session, running: runningKey(session), busy: false };
  return buildRows(source, null, ann.id).filter((row) => row.kind === "pending");
};

describe("a command of mine", () => {
  const start = after([welcome, joinedAll(2), ...log.slice(0, 2)]);

  it("shows immediately, and is replaced by its event", () => {
    const given = give(start, "c_1", "Write tests");
    expect(pendingRows(given)).toHaveLength(1);
    const done = after([log[2]!], given);
    expect(pendingRows(done)).toHaveLength(0);
    expect(done.sessions[SESSION]!.messages).toHaveLength(1);
  });

  it("stays visible between the reply and its event", () => {
    const acked = after([{ type: "ack", session: SESSION, id: "c_9", seq: 4 }], give(start, "c_9", "x"));
    expect(pendingRows(acked)).toHaveLength(1);
    expect(unacknowledgedCommands(acked)).toHaveLength(0);
    expect(pendingRows(after(log.slice(2, 4), acked))).toHaveLength(0);
  });

  it("is rolled back with the server's error if rejected, and can be discarded", () => {
    const message = "50 messages are already waiting";
    const refused = after(
      [{ type: "error", id: "c_9", code: "inbox_full", message, retryable: false }],
      give(start, "c_9", "x"),
    );
    expect(pendingRows(refused)).toMatchObject([{ pending: { error: { code: "inbox_full", message } } }]);
    expect(pendingRows(reduce(refused, { type: "command_removed", session: SESSION, id: "c_9" }))).toEqual(
      [],
    );
  });

  it("is kept while there is no connection, to be sent later under its id", () => {
    const offline = reduce(give(start, "c_9", "typed offline"), {
      type: "connection_changed",
      connection: { phase: "offline", since: 1, retryAt: 2, attempt: 1 },
    });
    expect(offline.sessions[SESSION]!.joined).toBe(false);
    const back = after([welcome, joinedAll(2)], offline);
    expect(unacknowledgedCommands(back, SESSION).map((pending) => pending.command.id)).toEqual(["c_9"]);
  });

  it("is not mine if somebody else used the same id", () => {
    const given = give(start, "c_2", "mine");
    expect(pendingRows(after(log.slice(2, 10), given))).toHaveLength(1);
  });
});

describe("the connection", () => {
  it("is live only between welcome and the loss of the socket", () => {
    expect(emptyApp.connection.phase).toBe("connecting");
    const live = after([welcome]);
    expect(live.connection.phase).toBe("live");
    const refused = reduce(live, {
      type: "connection_changed",
      connection: { phase: "refused", code: 4501, reason: "" },
    });
    expect(refused.connection.phase).toBe("refused");
  });

  it("is delayed from the sending of a command to its answer, and says whether the database is down", () => {
    const given = give(after([welcome, joinedAll(2), ...log.slice(0, 2)]), "c_9", "x");
    expect(serverDelay(given), "nothing has been sent").toBeNull();
    const sent = reduce(given, { type: "command_sent", id: "c_9", now: 5 });
    expect(serverDelay(sent)).toEqual({ since: 5, store: false });
    const error = { code: "store_unavailable", message: "not now", retryable: true } as const;
    const again = reduce(reduce(sent, { type: "command_delayed", id: "c_9", error }), {
      type: "command_sent",
      id: "c_9",
      now: 9,
    });
    expect(serverDelay(again), "sent again, it waits all the longer").toEqual({ since: 5, store: true });
    expect(serverDelay(after([{ type: "ack", session: SESSION, id: "c_9", seq: 4 }], again))).toBeNull();
  });
});
