"""Control of executions: time limits, pause, resume, cancel, streams that are resumed, idempotency, busy teams."""

import expect as check
from bodies import execution
from client import Response
from expect import accepted, equal, error, expect, shape, success
from fixture import Call, Fixture, all_at_once, fresh_key, paused, read_until
from stream import TeamEvent, Trace, check_end, read_event, read_events

# An execution ends this much later than its time limit at most.
MAX_LATE_MS = 10_000


def _ended(fixture: Fixture, run: str, status: str) -> dict:
    """Checks the details of an execution that ended without success."""
    fields = {"execution_id": run, "status": status, "completed_at": check.timestamp, "duration_ms": check.count}
    return shape(success(fixture.client.execution(run)), fields, f"details of an execution with status {status}")


def timeout_of_a_stream(fixture: Fixture) -> None:
    """An execution is ended at its time limit, paused or not: the stream ends, and the status is timeout."""
    team = fixture.team(fixture.names.long())
    with paused(fixture.client, team, execution(timeout_seconds=1)) as (stream, run):
        check_end(read_events(stream, team), "timeout")
    details = _ended(fixture, run, "timeout")
    expect(check.text(details.get("error_message")), f"error_message of a timeout is empty: {check.show(details)}")
    duration = details["duration_ms"]
    expect(1000 <= duration <= 1000 + MAX_LATE_MS, f"duration_ms: expected about 1000, got {duration}")


def timeout_without_stream(fixture: Fixture) -> None:
    """stream=false: the response to an execution over its time limit is 408 with partial_result."""
    team, key, body = fixture.team(fixture.names.long()), fresh_key(), execution(timeout_seconds=2)
    call = Call(lambda: fixture.client.execute_json(team, body, key))
    listed = call.while_open(lambda: success(fixture.client.list_executions(team))["executions"], "it was in the list")
    run = shape(listed[0], {"id": check.uuid_text, "status": "running"}, "execution in the list")["id"]
    accepted(fixture.client.control(run, "pause"))
    _check_timeout(call.response())
    _ended(fixture, run, "timeout")
    # The same key is the same execution, with the same outcome.
    _check_timeout(fixture.client.execute_json(team, body, key))
    equal(success(fixture.client.list_executions(team))["total"], 1, "number of executions of one idempotency key")


def _check_timeout(response: Response) -> None:
    body = shape(error(response, 408, "EXECUTION_TIMEOUT"), {"partial_result": check.mapping}, "response 408")
    equal(body["error_message"], "Execution timed out after 2 seconds", "error_message")


def pause_and_resume(fixture: Fixture) -> None:
    """A paused execution is still running. It goes on when it is resumed, and its stream with it."""
    body = fixture.names.example("sequential")
    team = fixture.team(body)
    with fixture.client.execute_stream(team, execution()) as stream:
        events = read_until(stream, team, "execution_start")
        run = events[0].data["execution_id"]
        accepted(fixture.client.control(run, "pause"))
        shape(success(fixture.client.execution(run)), {"status": "running"}, "details of a paused execution")
        accepted(fixture.client.control(run, "resume"))
        Trace(events + read_events(stream, team), body)
    shape(success(fixture.client.execution(run)), {"status": "success"}, "details of a resumed execution")


def heartbeat(fixture: Fixture) -> None:
    """A stream without other events has heartbeats, and goes on after them."""
    body = fixture.names.example("sequential")
    team = fixture.team(body)
    with fixture.client.execute_stream(team, execution()) as stream:
        events = read_until(stream, team, "execution_start")
        run = events[0].data["execution_id"]
        accepted(fixture.client.control(run, "pause"))
        events += read_until(stream, team, "heartbeat")
        accepted(fixture.client.control(run, "resume"))
        events += read_events(stream, team)
    Trace([event for event in events if event.name != "heartbeat"], body)


def cancel(fixture: Fixture) -> None:
    """A cancelled execution ends its stream, and has the status cancelled."""
    team = fixture.team(fixture.names.long())
    with fixture.client.execute_stream(team, execution()) as stream:
        run = read_until(stream, team, "execution_start")[0].data["execution_id"]
        accepted(fixture.client.control(run, "cancel"))
        check_end(read_events(stream, team), "cancelled")
    _ended(fixture, run, "cancelled")


def control_after_the_end(fixture: Fixture) -> None:
    """Requests to control an execution that has ended change nothing."""
    run = fixture.run(fixture.team(fixture.names.small()), execution())["execution_id"]
    before = success(fixture.client.execution(run))
    for action in ("pause", "resume", "cancel"):
        response = fixture.client.control(run, action)
        if response.status != 409:
            accepted(response)
        equal(success(fixture.client.execution(run)), before, f"details after {action}")


def control_an_unknown_execution(fixture: Fixture) -> None:
    """An unknown execution is 404 EXECUTION_NOT_FOUND."""
    for run in ("exec-123", "00000000-0000-4000-8000-000000000000"):
        for action in ("pause", "resume", "cancel"):
            error(fixture.client.control(run, action), 404, "EXECUTION_NOT_FOUND")


def _content(events: list[TeamEvent]) -> list[tuple]:
    return [(event.id, event.name, event.data) for event in events]


def resume_a_stream(fixture: Fixture) -> None:
    """A broken stream does not stop the execution. It goes on after Last-Event-ID, without gaps or repetitions."""
    body = fixture.names.example("sequential")
    team = fixture.team(body)
    with fixture.client.execute_stream(team, execution()) as stream:
        events = [event for event in read_until(stream, team, "node_complete") if event.name != "heartbeat"]
    run = events[0].data["execution_id"]
    with fixture.client.resume_stream(run, events[-1].id) as stream:
        events += read_events(stream, team)
    equal(Trace(events, body).execution, run, "execution of the resumed stream")
    # The events can be read again after the end, from anywhere.
    for at in (0, len(events) // 2, len(events) - 2):
        with fixture.client.resume_stream(run, events[at].id) as stream:
            again = read_events(stream, team)
        equal(_content(again), _content(events[at + 1 :]), f"events after the one with the id {events[at].id}")


def resume_a_stream_while_others_read(fixture: Fixture) -> None:
    """Two streams of one execution have the same events with the same ids."""
    body = fixture.names.example("parallel", [("node-a", "node-b", "calls"), ("node-b", "node-c", "calls")])
    team = fixture.team(body)
    with fixture.client.execute_stream(team, execution()) as first:
        events = [read_event(next(first), team)]
        with fixture.client.resume_stream(events[0].data["execution_id"], events[0].id) as second:
            copies = read_events(second, team)
        events += read_events(first, team)
    Trace(events, body)
    equal(_content(copies), _content(events[1:]), "events of the second stream")


def idempotency_without_stream(fixture: Fixture) -> None:
    """The same Idempotency-Key is the same execution; another key, or none, is another one."""
    team, key = fixture.team(fixture.names.small()), fresh_key()
    first, second = (fixture.run(team, execution(), key) for _ in range(2))
    equal(second, first, "response to the second request with the same key")
    others = [fixture.run(team, execution(), other)["execution_id"] for other in (fresh_key(), None, None)]
    equal(len({first["execution_id"], *others}), 4, "number of executions of two keys and two requests without one")
    equal(success(fixture.client.list_executions(team))["total"], 4, "number of executions in the list")


def idempotency_of_a_stream(fixture: Fixture) -> None:
    """The same Idempotency-Key of a stream returns the same execution, from its first event."""
    body = fixture.names.small()
    team, key = fixture.team(body), fresh_key()
    first, second = (fixture.trace(team, body, execution(), key) for _ in range(2))
    equal(_content(second.events), _content(first.events), "events of the second request with the same key")
    equal(success(fixture.client.list_executions(team))["total"], 1, "number of executions in the list")


def idempotency_at_once(fixture: Fixture) -> None:
    """Five requests at once with the same Idempotency-Key start one execution, and all get its result."""
    team, key = fixture.team(fixture.names.small()), fresh_key()
    requests = [lambda: fixture.client.execute_json(team, execution(), key)] * 5
    runs = {success(response)["execution_id"] for response in all_at_once(requests)}
    equal(len(runs), 1, "number of executions of five requests with the same key")
    equal(success(fixture.client.list_executions(team))["total"], 1, "number of executions in the list")


def delete_a_busy_team(fixture: Fixture) -> None:
    """A team with an execution under way is 409 TEAM_BUSY; with cancel=true the execution is cancelled first."""
    team = fixture.team(fixture.names.long())
    with paused(fixture.client, team, execution()) as (stream, run):
        error(fixture.client.delete_team(team), 409, "TEAM_BUSY")
        error(fixture.client.delete_team(team, cancel="false"), 409, "TEAM_BUSY")
        success(fixture.client.get_team(team))
        shape(success(fixture.client.execution(run)), {"status": "running"}, "details after TEAM_BUSY")
        success(fixture.client.delete_team(team, cancel="true"), 204)
        check_end(read_events(stream, team), "cancelled")
    error(fixture.client.get_team(team), 404, "TEAM_NOT_FOUND")


def delete_a_team_after_its_executions(fixture: Fixture) -> None:
    """A team whose executions have ended is not busy."""
    team = fixture.team(fixture.names.small())
    fixture.run(team, execution())
    success(fixture.client.delete_team(team), 204)


SCENARIOS = (
    timeout_of_a_stream,
    timeout_without_stream,
    pause_and_resume,
    heartbeat,
    cancel,
    control_after_the_end,
    control_an_unknown_execution,
    resume_a_stream,
    resume_a_stream_while_others_read,
    idempotency_without_stream,
    idempotency_of_a_stream,
    idempotency_at_once,
    delete_a_busy_team,
    delete_a_team_after_its_executions,
)
