"""Structured output of executions."""

import expect as check
from bodies import OUTPUT_SCHEMA, changed, execution, structured, without
from expect import equal, error, expect, matches_schema, shape, success
from fixture import Fixture, paused
from stream import read_events

# No value matches it: the property x is required, and no value of x is allowed.
IMPOSSIBLE_SCHEMA = {"type": "object", "required": ["x"], "properties": {"x": False}}


def _output(fixture: Fixture, team: str, body: dict, run: str) -> dict:
    """Checks a response with structured output for the document's schema. Returns it."""
    fields = {
        "team_id": team,
        "execution_id": run,
        "structured_output": check.mapping,
        "schema_validation": {"valid": True, "errors": []},
    }
    output = shape(success(fixture.client.structured_output(team, body)), fields, "structured output")
    matches_schema(output["structured_output"], OUTPUT_SCHEMA)
    return output


def structured_output(fixture: Fixture) -> None:
    """The document's schema, for one execution: 200 with a value that matches, and no raw output."""
    team = fixture.team(fixture.names.example())
    run = fixture.run(team, execution())["execution_id"]
    output = _output(fixture, team, structured(run), run)
    expect("raw_output" not in output, "raw_output is there, although include_raw_output is false")


def structured_output_in_chinese(fixture: Fixture) -> None:
    """A Chinese task has structured output too."""
    team = fixture.team(fixture.names.small())
    run = fixture.run(team, execution("分析系统日志，找出需要关注的问题"))["execution_id"]
    _output(fixture, team, structured(run), run)


def raw_output(fixture: Fixture) -> None:
    """include_raw_output adds the raw text; its default is false."""
    team = fixture.team(fixture.names.small())
    run = fixture.run(team, execution())["execution_id"]
    output = _output(fixture, team, structured(run, include_raw_output=True), run)
    expect(check.text(output.get("raw_output")), f"raw_output: expected text, got {check.show(output)}")
    output = _output(fixture, team, without(structured(run), "include_raw_output"), run)
    expect("raw_output" not in output, "raw_output is there, although include_raw_output was left out")


def structured_output_of_the_latest_execution(fixture: Fixture) -> None:
    """Without execution_id it is about the latest execution, also of several; an older one has to be named."""
    team = fixture.team(fixture.names.small())
    first, second = (fixture.run(team, execution())["execution_id"] for _ in range(2))
    _output(fixture, team, structured(), second)
    _output(fixture, team, structured(first), first)
    _output(fixture, team, structured(), second)


def _shown(fixture: Fixture, team: str, run: str) -> tuple[dict, dict]:
    """The details of an execution, without the structured outputs that the server adds, and the list of the team."""
    details = success(fixture.client.execution(run))
    for name in ("structured_outputs", "total_structured_outputs"):
        details.pop(name, None)
    return details, success(fixture.client.list_executions(team))


def structured_output_changes_no_execution(fixture: Fixture) -> None:
    """Structured output is no execution of its own, and leaves the one that it is about as it was."""
    team = fixture.team(fixture.names.small())
    run = fixture.run(team, execution())["execution_id"]
    before = _shown(fixture, team, run)
    _output(fixture, team, structured(run), run)
    after = _shown(fixture, team, run)
    equal(after, before, "details and list of executions after structured output")


def structured_output_before_any_execution(fixture: Fixture) -> None:
    """A team without executions is 404 EXECUTION_NOT_FOUND."""
    team = fixture.team(fixture.names.small())
    error(fixture.client.structured_output(team, structured()), 404, "EXECUTION_NOT_FOUND")


def structured_output_of_another_teams_execution(fixture: Fixture) -> None:
    """An execution of another team, and an unknown one, is 404 EXECUTION_NOT_FOUND."""
    team, other = fixture.team(fixture.names.small()), fixture.team(fixture.names.small())
    run = fixture.run(other, execution())["execution_id"]
    fixture.run(team, execution())
    for missing in (run, "exec-123", "00000000-0000-4000-8000-000000000000"):
        error(fixture.client.structured_output(team, structured(missing)), 404, "EXECUTION_NOT_FOUND")


def structured_output_while_it_runs(fixture: Fixture) -> None:
    """An execution that is still running is 409 EXECUTION_RUNNING, named or as the latest one."""
    team = fixture.team(fixture.names.long())
    with paused(fixture.client, team, execution()) as (stream, run):
        for body in (structured(run), structured()):
            error(fixture.client.structured_output(team, body), 409, "EXECUTION_RUNNING")
        fixture.client.control(run, "cancel")
        read_events(stream, team)


def schema_that_nothing_matches(fixture: Fixture) -> None:
    """A schema that no value matches is 422 with what is wrong, or refused with 400."""
    team = fixture.team(fixture.names.small())
    run = fixture.run(team, execution())["execution_id"]
    response = fixture.client.structured_output(team, structured(run, output_schema=IMPOSSIBLE_SCHEMA))
    body = error(response, (400, 422))
    if response.status == 422:
        equal(body["error_code"], "SCHEMA_GENERATION_FAILED", "error_code of 422")
        shape(body, {"schema_validation": check.mapping, "partial_output": check.anything}, "response 422")
        validation = shape(body["schema_validation"], {"valid": False, "errors": check.array}, "schema_validation")
        expect(validation["errors"], "schema_validation.errors is empty")
        for entry in validation["errors"]:
            shape(entry, {"path": check.text, "message": check.text}, "schema_validation.errors")
            expect(entry["path"].startswith("$"), f"path: expected one such as $.issues[0].severity, got {entry}")
    shape(success(fixture.client.execution(run)), {"status": "success"}, "details after a failed structured output")
    _output(fixture, team, structured(run), run)


def wrong_requests(fixture: Fixture) -> None:
    """output_schema is required and must be a JSON Schema."""
    team = fixture.team(fixture.names.small())
    run = fixture.run(team, execution())["execution_id"]
    for body in (
        without(structured(run), "output_schema"),
        structured(run, output_schema="object"),
        structured(run, output_schema={"type": "thing"}),
        changed(structured(run), 7, "execution_id"),
        structured(run, include_raw_output="yes"),
        [],
    ):
        error(fixture.client.structured_output(team, body), (400, 422))


SCENARIOS = (
    structured_output,
    structured_output_in_chinese,
    raw_output,
    structured_output_of_the_latest_execution,
    structured_output_changes_no_execution,
    structured_output_before_any_execution,
    structured_output_of_another_teams_execution,
    structured_output_while_it_runs,
    schema_that_nothing_matches,
    wrong_requests,
)
