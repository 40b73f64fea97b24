"""Teams: create, get, list, delete, and who can do so."""

import statistics
import time
from collections.abc import Callable

import expect as check
from bodies import changed, execution, structured, without
from client import NoStream, Response, TeamsClient
from expect import equal, error, expect, page, shape, success
from fixture import Fixture

MAX_CREATION_SECONDS = 0.5
STATUSES = ("active", "inactive", "error")


def _created(response: Response, nodes: int, agents: int, edges: int) -> str:
    summary = {"node_count": nodes, "agent_count": agents, "edge_count": edges}
    fields = {
        "team_id": check.uuid_text,
        "status": "created",
        "created_at": check.timestamp,
        "topology_summary": lambda found: shape(found, summary, "topology_summary"),
    }
    body = shape(success(response, 201), fields, "created team")
    equal(response.headers.get_content_type(), "application/json", "created team: Content-Type")
    return body["team_id"]


def create_a_team(fixture: Fixture) -> None:
    """The document's example is created: 201 with id, status, time and summary."""
    response = fixture.client.create_team(fixture.names.example())
    team = _created(response, nodes=3, agents=9, edges=4)
    success(fixture.client.delete_team(team), 204)


def create_with_required_fields_only(fixture: Fixture) -> None:
    """The optional fields of nodes, agents and edges can be left out; temperature and max_tokens have defaults."""
    body = fixture.names.small()
    for index in range(2):
        node = ("topology", "nodes", index)
        body = without(body, *node, "attributes")
        for field in ("user_prompt_template", "tools", "temperature", "max_tokens"):
            body = without(body, *node, "agents", 0, field)
    body = without(body, "topology", "edges", 0, "attributes")
    team = fixture.team(body)
    agent = success(fixture.client.get_team(team))["topology_config"]["nodes"][0]["agents"][0]
    for field, default in (("temperature", 0.7), ("max_tokens", 4096)):
        equal(agent.get(field, default), default, f"default of {field}")


def create_with_all_strategies_and_relations(fixture: Fixture) -> None:
    """Every strategy and relation type of the document is accepted."""
    for relation in ("calls", "depends_on", "integrates", "monitors", "data_flow"):
        body = changed(fixture.names.small(), relation, "topology", "edges", 0, "relation_type")
        success(fixture.client.delete_team(_created(fixture.client.create_team(body), 2, 2, 1)), 204)
    for strategy in ("hierarchical", "parallel", "sequential"):
        fixture.team(changed(fixture.names.small(), strategy, "topology", "global_supervisor", "coordination_strategy"))
    for strategy in ("round_robin", "priority", "adaptive"):
        path = ("topology", "nodes", 0, "supervisor_config", "coordination_strategy")
        fixture.team(changed(fixture.names.small(), strategy, *path))


def create_quickly(fixture: Fixture) -> None:
    """The creation of a team takes less than 500 ms: the median of five."""
    seconds = []
    for _ in range(5):
        began = time.monotonic()
        fixture.team(fixture.names.example())
        seconds.append(time.monotonic() - began)
    median = statistics.median(seconds)
    expect(median < MAX_CREATION_SECONDS, f"creation of a team: expected less than 500 ms, took {median * 1000:.0f} ms")


def get_a_team(fixture: Fixture) -> None:
    """A team has the fields of the data model, and the topology that was sent."""
    sent = fixture.names.example()
    team = fixture.team(sent)
    fields = {
        "id": team,
        "name": sent["team_name"],
        "description": sent["description"],
        "topology_config": check.mapping,
        "status": "active",
        "created_at": check.timestamp,
        "updated_at": check.timestamp,
    }
    found = shape(success(fixture.client.get_team(team)), fields, "team")
    _contains(found["topology_config"], sent["topology"], "topology_config")


def _contains(found: object, sent: object, path: str) -> None:
    """Checks that everything that was sent is there. Further fields can be there too."""
    if isinstance(sent, dict):
        for name, value in sent.items():
            expect(isinstance(found, dict) and name in found, f"{path}: {name} is missing")
            _contains(found[name], value, f"{path}.{name}")
    elif isinstance(sent, list):
        same = isinstance(found, list) and len(found) == len(sent)
        expect(same, f"{path}: expected {len(sent)} entries, got {check.show(found)}")
        for index, value in enumerate(sent):
            _contains(found[index], value, f"{path}[{index}]")
    else:
        equal(found, sent, path)


def list_teams(fixture: Fixture) -> None:
    """Lists have pages, and a filter by status. Without parameters: page 1 with 20 teams."""
    teams = {fixture.team(fixture.names.small()) for _ in range(3)}
    client = fixture.client
    for entry in page(client.list_teams(page=1, size=20, status="active"), "teams", 1, 20):
        shape(entry, {"id": check.uuid_text, "name": check.text, "status": "active"}, "team in a list")
    page(client.list_teams(), "teams", 1, 20)
    first, second = (page(client.list_teams(page=number, size=1), "teams", number, 1) for number in (1, 2))
    expect(first[0]["id"] != second[0]["id"], "page 1 and page 2 of size 1 have the same team")
    total = success(client.list_teams(page=1, size=1))["total"]
    beyond = page(client.list_teams(page=total + 1, size=1), "teams", total + 1, 1)
    equal(beyond, [], "a page after the last one")

    def all_ids(**query) -> list[str]:
        teams = check.all_pages(lambda n, size: client.list_teams(page=n, size=size, **query), "teams", 2)
        return [team["id"] for team in teams]

    equal(sorted(teams & set(all_ids())), sorted(teams), "created teams in the list")
    by_status = [all_ids(status=status) for status in STATUSES]
    equal(sorted(sum(by_status, [])), sorted(all_ids()), "teams of all statuses together")
    expect(teams <= set(by_status[0]), "created teams are missing in the list with status=active")


def list_parameters_are_checked(fixture: Fixture) -> None:
    """Wrong parameters of a list are refused, with the fields of every error."""
    for query in ({"page": 0}, {"size": 0}, {"page": "x"}, {"size": -1}, {"status": "unknown"}):
        error(fixture.client.list_teams(**query), (400, 422))


def delete_a_team(fixture: Fixture) -> None:
    """Deletes a team: 204 without a body. Then every request about it is 404 TEAM_NOT_FOUND."""
    team = fixture.team(fixture.names.small())
    response = fixture.client.delete_team(team)
    success(response, 204)
    equal(response.body, None, "body of 204")
    for missing in (team, "team-456", "00000000-0000-4000-8000-000000000000"):
        for response in (
            fixture.client.get_team(missing),
            fixture.client.delete_team(missing),
            fixture.client.execute_json(missing, execution()),
            fixture.client.list_executions(missing, page=1, size=20),
            fixture.client.structured_output(missing, structured()),
        ):
            body = error(response, 404, "TEAM_NOT_FOUND")
            equal(body["error_message"], f"Team with ID '{missing}' not found", f"{response.request}: error_message")
    ids = [entry["id"] for entry in success(fixture.client.list_teams(page=1, size=20))["teams"]]
    expect(team not in ids, "a deleted team is in the list")


def _requests(client: TeamsClient, team: str, run: str) -> list[Callable[[], Response]]:
    """Returns a request to each endpoint of a team. The ones that delete come last."""

    def no_stream(send: Callable) -> Response:
        try:
            with send():
                raise check.Mismatch("a stream was opened without a right to it")
        except NoStream as refused:
            return refused.response

    return [
        lambda: client.get_team(team),
        lambda: client.execute_json(team, execution()),
        lambda: no_stream(lambda: client.execute_stream(team, execution())),
        lambda: client.list_executions(team),
        lambda: client.structured_output(team, structured()),
        lambda: client.execution(run),
        lambda: client.log(run),
        lambda: no_stream(lambda: client.resume_stream(run, "0")),
        *[lambda action=action: client.control(run, action) for action in ("pause", "resume", "cancel")],
        lambda: client.delete_team(team),
        lambda: client.delete_team(team, cancel="true"),
    ]


def requests_without_a_token(fixture: Fixture) -> None:
    """Without a token, every endpoint responds with 401."""
    _unauthenticated(fixture, fixture.nobody)


def requests_with_an_unknown_token(fixture: Fixture) -> None:
    """With a token that the server does not know, every endpoint responds with 401."""
    _unauthenticated(fixture, fixture.intruder)


def _unauthenticated(fixture: Fixture, client: TeamsClient) -> None:
    team = fixture.team(fixture.names.small())
    run = fixture.run(team, execution())["execution_id"]
    # The document has no error for this, so only the status counts.
    requests = [lambda: client.create_team(fixture.names.small()), client.list_teams, *_requests(client, team, run)]
    for request in requests:
        answer = request()
        expect(answer.status == 401, f"the status of {answer} is 401")
    success(fixture.client.get_team(team))


def teams_belong_to_their_makers(fixture: Fixture) -> None:
    """Another participant can neither see nor execute, control or delete a team that is not shared with them."""
    team = fixture.team(fixture.names.small())
    run = fixture.run(team, execution())["execution_id"]
    for request in _requests(fixture.other, team, run):
        error(request(), (403, 404))
    ids = [entry["id"] for entry in success(fixture.other.list_teams(page=1, size=20))["teams"]]
    expect(team not in ids, "the team is in the list of another participant")
    success(fixture.client.get_team(team))
    success(fixture.client.execution(run))


SCENARIOS = (
    create_a_team,
    create_with_required_fields_only,
    create_with_all_strategies_and_relations,
    create_quickly,
    get_a_team,
    list_teams,
    list_parameters_are_checked,
    delete_a_team,
    requests_without_a_token,
    requests_with_an_unknown_token,
    teams_belong_to_their_makers,
)
