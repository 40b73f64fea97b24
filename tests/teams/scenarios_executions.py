"""Executions: as a stream and without, by every strategy, with tools, at once, and requests that are refused."""

from contextlib import ExitStack
from dataclasses import replace

import expect as check
from bodies import changed, execution, without
from client import NoStream, Response
from expect import Mismatch, equal, error, expect, shape, success
from fixture import Fixture, Skip, read_until
from stream import Trace, check_end, check_result, read_events, same_input

ALL_NODES = ["node-a", "node-b", "node-c"]


def _trace(fixture: Fixture, strategy: str, **fields) -> Trace:
    body = fixture.names.example(strategy, **fields)
    trace = fixture.trace(fixture.team(body), body, execution())
    # node-a has the strategy round_robin, node-b priority, node-c adaptive.
    for node in ("node-a", "node-b"):
        worked = trace.agents_in_order(node)
        equal(sorted(worked), trace.nodes[node], f"{node}: agents that wrote messages")
    expect(trace.agents_in_order("node-c"), "node-c: its supervisor gave no agent the task")
    return trace


def stream_hierarchical(fixture: Fixture) -> None:
    """Hierarchical: all events in order, and a node begins after those that the edges put before it."""
    trace = _trace(fixture, "hierarchical")
    for before, after in trace.upstream():
        words = f"{after} begins before {before} is complete, although an edge puts {before} first"
        expect(trace.span(before)[1] < trace.span(after)[0], words)


def stream_sequential(fixture: Fixture) -> None:
    """Sequential: one node after another, in topological order."""
    trace = _trace(fixture, "sequential")
    spans = sorted((*trace.span(node), node) for node in trace.nodes)
    for (_, end, before), (begin, _, after) in zip(spans, spans[1:]):
        expect(end < begin, f"{after} begins before {before} is complete")
    equal([node for *_, node in spans], ALL_NODES, "topological order of the nodes")


def stream_parallel(fixture: Fixture) -> None:
    """Parallel: every node begins before any of them is complete."""
    edges = [("node-a", "node-b", "integrates"), ("node-c", "node-b", "integrates")]
    trace = _trace(fixture, "parallel", edges=edges)
    first_end = min(trace.span(node)[1] for node in trace.nodes)
    for node in trace.nodes:
        expect(trace.span(node)[0] < first_end, f"{node} begins after another node is complete")


def stream_with_all_relations(fixture: Fixture) -> None:
    """A team with every relation type works: each node is completed once."""
    edges = [
        ("node-a", "node-b", "calls"),
        ("node-c", "node-b", "depends_on"),
        ("node-a", "node-c", "data_flow"),
        ("node-b", "node-c", "integrates"),
        ("node-c", "node-a", "monitors"),
    ]
    body = fixture.names.example("hierarchical", edges)
    fixture.trace(fixture.team(body), body, execution())


def stream_is_the_default(fixture: Fixture) -> None:
    """Only the task is required: without `stream` the response is a stream."""
    body = fixture.names.small()
    team = fixture.team(body)
    with fixture.client.execute_stream(team, {"input": {"task": "string"}}) as stream:
        equal(stream.headers.get_content_type(), "text/event-stream", "Content-Type")
        Trace(read_events(stream, team), body)


def stream_as_in_the_document(fixture: Fixture) -> None:
    """The document's body as it is, with `stream: true`; and one with a Chinese task, which comes back unchanged."""
    body = fixture.names.small()
    team = fixture.team(body)
    fixture.trace(team, body, execution("string"))
    sent = execution("分析系统日志，找出问题 🔍", timeout_seconds=1800)
    trace = fixture.trace(team, body, sent)
    shape(success(fixture.client.execution(trace.execution)), {"input": same_input(sent)}, "details of the execution")


def stream_with_a_tool(fixture: Fixture) -> None:
    """A call of a tool is an event of its agent, with the tool, its input and its output."""
    tool = fixture.names.tool
    body = changed(fixture.names.small(), [tool], "topology", "nodes", 0, "agents", 0, "tools")
    trace = fixture.trace(fixture.team(body), body, execution(f"Use the tool {tool}, then say what it returned"))
    calls = [trace.events[at] for at in trace.positions("tool_call", node="node-a", agent="agent-1")]
    expect(calls, f"node-a: there is no tool_call, although the task asks for {tool} and agent-1 has it")
    equal(calls[0].data["tool"], tool, "tool_call: tool")
    expect(not trace.positions("tool_call", node="node-b"), "node-b: an agent without tools called one")


def execute_without_stream(fixture: Fixture) -> None:
    """stream=false: one response with the result, as the document's example."""
    team = fixture.team(fixture.names.example())
    response = fixture.client.execute_raw(team, execution(stream=False))
    fields = {
        "execution_id": check.uuid_text,
        "team_id": team,
        "status": "success",
        "started_at": check.timestamp,
        "completed_at": check.timestamp,
        "duration_ms": check.count,
        "result": check.mapping,
    }
    body = shape(success(response), fields, "execution without a stream")
    equal(response.headers.get_content_type(), "application/json", "Content-Type")
    check_result(body["result"], ALL_NODES, "execution without a stream")


def ten_at_once(fixture: Fixture) -> None:
    """Ten teams work at the same time, and each stream has the events of its own team."""
    body = fixture.names.small()
    teams = [fixture.team(body) for _ in range(10)]
    executions = set()
    with ExitStack() as open_streams:
        streams = [open_streams.enter_context(fixture.client.execute_stream(team, execution())) for team in teams]
        begun = [read_until(stream, team, "execution_start") for stream, team in zip(streams, teams)]
        for stream, team, first in zip(streams, teams, begun):
            trace = Trace([*first, *read_events(stream, team)], body)
            executions.add(trace.execution)
    equal(len(executions), 10, "number of different executions")


def stream_with_a_broken_model(fixture: Fixture) -> None:
    """An execution whose models fail has execution_error, ends, and has the status failed."""
    if fixture.names.broken_model is None:
        raise Skip("needs --broken-model")
    team = fixture.team(replace(fixture.names, model=fixture.names.broken_model).small())
    with fixture.client.execute_stream(team, execution()) as stream:
        events = read_events(stream, team)
    check_end(events, "failed")
    run, errors = events[0].data["execution_id"], [event for event in events if event.name == "execution_error"]
    expect(errors, f"there is no execution_error, but {[event.name for event in events]}")
    fields = {"status": "failed", "error_message": check.text, "completed_at": check.timestamp}
    shape(success(fixture.client.execution(run)), fields, "details of a failed execution")
    logged = success(fixture.client.log(run, event_type="execution_error"))["total"]
    equal(logged, len(errors), "number of execution_error in the log")


def _no_stream(fixture: Fixture, team: str, body: object) -> Response:
    try:
        with fixture.client.execute_stream(team, body):
            raise Mismatch(f"a stream was opened for {check.show(body)}")
    except NoStream as refused:
        return refused.response


def execute_an_unknown_team(fixture: Fixture) -> None:
    """An unknown team is 404 TEAM_NOT_FOUND, with JSON also if a stream was wanted."""
    for team in ("team-456", "00000000-0000-4000-8000-000000000000"):
        for response in (
            _no_stream(fixture, team, execution()),
            fixture.client.execute_json(team, execution()),
        ):
            body = error(response, 404, "TEAM_NOT_FOUND")
            equal(body["error_message"], f"Team with ID '{team}' not found", "error_message")


def wrong_executions(fixture: Fixture) -> None:
    """Wrong bodies and time limits over 30 minutes are refused, and no execution begins."""
    team = fixture.team(fixture.names.small())
    wrong = [
        {},
        [],
        {"input": {}},
        {"input": "string"},
        without(execution(), "input", "task"),
        changed(execution(), 7, "input", "task"),
        changed(execution(), "key", "input", "context"),
        execution(timeout_seconds=1801),
        execution(timeout_seconds=0),
        execution(timeout_seconds=-1),
        execution(timeout_seconds="long"),
        execution(stream="yes"),
    ]
    for body in wrong:
        error(_no_stream(fixture, team, body), (400, 422))
    for body in wrong:
        if isinstance(body, dict) and body.get("stream") != "yes":
            error(fixture.client.execute_json(team, body), (400, 422))
    equal(success(fixture.client.list_executions(team))["total"], 0, "number of executions after refused requests")


SCENARIOS = (
    stream_hierarchical,
    stream_sequential,
    stream_parallel,
    stream_with_all_relations,
    stream_is_the_default,
    stream_as_in_the_document,
    stream_with_a_tool,
    execute_without_stream,
    ten_at_once,
    stream_with_a_broken_model,
    execute_an_unknown_team,
    wrong_executions,
)
