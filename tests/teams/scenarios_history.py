"""History: the executions of a team, the details of one, and its log."""

from collections import Counter

import expect as check
from bodies import changed, execution
from client import Response
from expect import all_pages, equal, error, expect, page, shape, show, success
from fixture import Fixture, paused
from stream import FIELDS, check_result, read_events, same_input

ALL_NODES = ["node-a", "node-b", "node-c"]
LOG_ENTRY = {
    "id": check.uuid_text,
    "event_type": lambda name: name in FIELDS,
    "agent_id": check.text_or_null,
    "node_id": check.text_or_null,
    "message": check.text_or_null,
    "metadata": lambda value: value is None or isinstance(value, dict),
    "timestamp": check.timestamp,
}


def execution_history(fixture: Fixture) -> None:
    """The history of a team has pages. Without parameters: page 1 with 20 executions."""
    team, client = fixture.team(fixture.names.small()), fixture.client
    equal(page(client.list_executions(team), "executions", 1, 20), [], "history of a new team")
    runs = [fixture.run(team, execution())["execution_id"] for _ in range(3)]
    listed = page(client.list_executions(team, page=1, size=20), "executions", 1, 20)
    for entry in listed:
        fields = {"id": check.uuid_text, "status": "success", "started_at": check.timestamp}
        shape(entry, fields, "execution in the history")
    equal(sorted(entry["id"] for entry in listed), sorted(runs), "executions in the history")
    by_page = all_pages(lambda n, size: client.list_executions(team, page=n, size=size), "executions", 2)
    equal([entry["id"] for entry in by_page], [entry["id"] for entry in listed], "executions on pages of size 2")
    for query in ({"page": 0}, {"size": 0}, {"page": "x"}):
        error(client.list_executions(team, **query), (400, 422))


def execution_details(fixture: Fixture) -> None:
    """The details of an execution have the fields of the data model, and the same result as the response."""
    team, sent = fixture.team(fixture.names.example()), execution()
    response = fixture.run(team, sent)
    run = response["execution_id"]
    fields = {
        "id": run,
        "execution_id": run,
        "team_id": team,
        "input": same_input(sent),
        "output": check.mapping,
        "result": check.mapping,
        "status": "success",
        "started_at": check.timestamp,
        "completed_at": check.timestamp,
        "duration_ms": check.count,
        "tokens": check.count,
        "cost_micros": check.count,
        "error_message": lambda value: value in (None, ""),
    }
    details = shape(success(fixture.client.execution(run)), fields, "details of an execution")
    for name in ("output", "result"):
        check_result(details[name], ALL_NODES, f"details of an execution, {name}")
    for name in ("status", "started_at", "completed_at", "duration_ms", "result"):
        equal(details[name], response.get(name), f"{name} of the details and of the response")


def details_while_it_runs(fixture: Fixture) -> None:
    """A running execution has no end yet."""
    team, sent = fixture.team(fixture.names.long()), execution()
    with paused(fixture.client, team, sent) as (stream, run):
        fields = {"id": run, "team_id": team, "input": same_input(sent), "status": "running"}
        fields["started_at"] = check.timestamp
        details = shape(success(fixture.client.execution(run)), fields, "details of a running execution")
        equal(details.get("completed_at"), None, "completed_at of a running execution")
        listed = page(fixture.client.list_executions(team), "executions", 1, 20)
        equal([(entry["id"], entry["status"]) for entry in listed], [(run, "running")], "history")
        fixture.client.control(run, "cancel")
        read_events(stream, team)


def unknown_execution(fixture: Fixture) -> None:
    """Details and log of an unknown execution are 404 EXECUTION_NOT_FOUND."""
    for run in ("exec-123", "00000000-0000-4000-8000-000000000000"):
        error(fixture.client.execution(run), 404, "EXECUTION_NOT_FOUND")
        error(fixture.client.log(run), 404, "EXECUTION_NOT_FOUND")


def _log(fixture: Fixture, run: str, size: int = 50, **filters: str) -> list[dict]:
    def read(number: int, size: int) -> Response:
        return fixture.client.log(run, page=number, size=size, **filters)

    fields = {**LOG_ENTRY, "execution_id": run}
    return [shape(entry, fields, f"entry of the log with {filters}") for entry in all_pages(read, "log", size)]


def execution_log(fixture: Fixture) -> None:
    """The log has an entry for each event of the stream, in order, with filters by event, node and agent, and pages."""
    tool = fixture.names.tool
    body = changed(fixture.names.example(), [tool], "topology", "nodes", 0, "agents", 0, "tools")
    team = fixture.team(body)
    trace = fixture.trace(team, body, execution(f"Use the tool {tool}, then say what it returned"))
    run = trace.execution
    entries = _log(fixture, run)
    equal(len({entry["id"] for entry in entries}), len(entries), "number of different ids in the log")
    logged = Counter(entry["event_type"] for entry in entries if entry["event_type"] != "heartbeat")
    equal(logged, Counter(event.name for event in trace.events), "number of entries by event_type")
    for name in logged:
        filtered = _log(fixture, run, event_type=name)
        equal(filtered, [entry for entry in entries if entry["event_type"] == name], f"log with event_type={name}")
        of_stream = [trace.events[at] for at in trace.positions(name)]
        nodes = [event.node for event in of_stream]
        equal([entry["node_id"] for entry in filtered], nodes, f"node_id of the entries of {name}")
        # The log has no field for a supervisor: its id can be in agent_id.
        for entry, event in zip(filtered, of_stream):
            authors = [event.agent] if event.agent else [None, event.data.get("supervisor_id")]
            expect(entry["agent_id"] in authors, f"agent_id of {name}: expected one of {authors}, got {show(entry)}")
    for filters in (
        {"node_id": "node-a"},
        {"agent_id": "A1"},
        {"event_type": "agent_message", "node_id": "node-b"},
        {"event_type": "agent_message", "node_id": "node-b", "agent_id": "B2"},
        {"event_type": "tool_call", "agent_id": "A1"},
        {"node_id": "node-a", "agent_id": "B1"},
    ):
        wanted = [entry for entry in entries if all(entry[name] == value for name, value in filters.items())]
        equal(_log(fixture, run, **filters), wanted, f"log with {filters}")
    equal(_log(fixture, run, size=7), entries, "log on pages of size 7")
    page(fixture.client.log(run), "log", 1, success(fixture.client.log(run))["size"])


def log_keeps_messages(fixture: Fixture) -> None:
    """Entries of messages have the text of the event."""
    body = fixture.names.small()
    trace = fixture.trace(fixture.team(body), body, execution())
    entries = _log(fixture, trace.execution, event_type="agent_message")
    texts = [trace.events[at].data["message"] for at in trace.positions("agent_message")]
    equal([entry["message"] for entry in entries], texts, "messages of the log and of the stream")
    expect(all(map(str.strip, texts)), "a message of an agent is empty")


SCENARIOS = (
    execution_history,
    execution_details,
    details_while_it_runs,
    unknown_execution,
    execution_log,
    log_keeps_messages,
)
