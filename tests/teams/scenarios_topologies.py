"""Topologies that are refused: the document's rules and limits."""

import expect as check
from bodies import changed, without
from expect import equal, error, expect, shape, success
from fixture import Fixture

NODE = ("topology", "nodes", 0)
AGENT = (*NODE, "agents", 0)
SUPERVISOR = (*NODE, "supervisor_config")
GLOBAL = ("topology", "global_supervisor")
EDGE = ("topology", "edges", 0)


def _refused(fixture: Fixture, body: dict, nodes: list[str] = (), missing: list[str] = ()) -> dict:
    """Checks that a topology is refused, and that the details name these nodes and references."""
    response = fixture.client.create_team(body)
    # A team that should not exist must not stay.
    if response.status == 201:
        fixture.client.delete_team(response.body["team_id"])
    refused = error(response, 400, "INVALID_TOPOLOGY")
    equal(refused.get("status"), "failed", "refused topology: status")
    lists = {"invalid_nodes": check.array, "missing_references": check.array}
    details = shape(refused.get("details"), lists, "refused topology: details")
    for name, wanted in (("invalid_nodes", nodes), ("missing_references", missing)):
        for entry in wanted:
            expect(entry in details[name], f"details.{name}: expected {entry}, got {details[name]}")
    return refused


def undefined_provider(fixture: Fixture) -> None:
    """Rule 1, the document's example: node-123 references the undefined provider unknown-provider."""
    body = changed(fixture.names.small(), "node-123", *NODE, "node_id")
    body = changed(body, "node-123", *EDGE, "source_node_id")
    for path in ((*AGENT, "model_provider"), (*SUPERVISOR, "model_provider")):
        refused = _refused(fixture, changed(body, "unknown-provider", *path), ["node-123"], ["unknown-provider"])
        expected = "Node 'node-123' references undefined model provider 'unknown-provider'"
        words = refused["error_message"]
        expect(words.startswith(expected), f"error_message: expected {expected!r}, got {words!r}")
        equal(refused["details"]["invalid_nodes"], ["node-123"], "details.invalid_nodes")
        equal(refused["details"]["missing_references"], ["unknown-provider"], "details.missing_references")
    _refused(fixture, changed(body, "unknown-provider", *GLOBAL, "model_provider"), missing=["unknown-provider"])


def undefined_model(fixture: Fixture) -> None:
    """Rule 1: every model_id must exist, of agents and of supervisors."""
    body = fixture.names.small()
    for path, nodes in ((AGENT, ["node-a"]), (SUPERVISOR, ["node-a"]), (GLOBAL, [])):
        refused = _refused(fixture, changed(body, "unknown-model", *path, "model_id"), nodes)
        missing = refused["details"]["missing_references"]
        words = f"details.missing_references: expected unknown-model, got {missing}"
        expect(any("unknown-model" in reference for reference in missing), words)
        expect("unknown-model" in refused["error_message"], f"error_message does not name unknown-model: {refused}")


def unknown_tool(fixture: Fixture) -> None:
    """Rule 2: every tool must be registered. A known tool next to it does not help."""
    body = changed(fixture.names.small(), [fixture.names.tool, "unknown_tool"], *AGENT, "tools")
    refused = _refused(fixture, body, ["node-a"], ["unknown_tool"])
    equal(refused["details"]["missing_references"], ["unknown_tool"], "details.missing_references")


def duplicate_node(fixture: Fixture) -> None:
    """Rule 3: ids of nodes are unique."""
    _refused(fixture, changed(fixture.names.example(), "node-a", "topology", "nodes", 1, "node_id"), ["node-a"])


def edge_to_an_unknown_node(fixture: Fixture) -> None:
    """Rule 4: both nodes of an edge must exist."""
    for field in ("source_node_id", "target_node_id"):
        body = changed(fixture.names.example(), "unknown-node", *EDGE, field)
        _refused(fixture, body, missing=["unknown-node"])


def isolated_node(fixture: Fixture) -> None:
    """Rule 5: no node is isolated, in a team of several nodes."""
    _refused(fixture, fixture.names.example(edges=[("node-a", "node-b", "calls")]), ["node-c"])
    _refused(fixture, fixture.names.example(edges=[]), ["node-a", "node-b", "node-c"])


def missing_fields(fixture: Fixture) -> None:
    """Every required field of the document's tables is required."""
    body = fixture.names.small()
    required = [(*NODE, field) for field in ("node_id", "node_name", "node_type", "agents", "supervisor_config")]
    required += [(*AGENT, field) for field in ("agent_id", "agent_name", "model_provider", "model_id", "system_prompt")]
    required += [(*EDGE, field) for field in ("source_node_id", "target_node_id", "relation_type")]
    for path in [*required, ("topology",), ("topology", "nodes")]:
        _refused(fixture, without(body, *path))


def unknown_values(fixture: Fixture) -> None:
    """Strategies and relation types have the values of the document only."""
    body = fixture.names.small()
    for path, values in (
        ((*EDGE, "relation_type"), ("owns", "", "CALLS")),
        ((*SUPERVISOR, "coordination_strategy"), ("random", "parallel")),
        ((*GLOBAL, "coordination_strategy"), ("chaotic", "adaptive")),
    ):
        for value in values:
            _refused(fixture, changed(body, value, *path))


def wrong_types(fixture: Fixture) -> None:
    """Fields have the types of the document's tables."""
    body = fixture.names.small()
    for path, value in (
        ((*AGENT, "temperature"), "warm"),
        ((*AGENT, "max_tokens"), "many"),
        ((*AGENT, "tools"), fixture.names.tool),
        ((*NODE, "attributes"), "key"),
        ((*NODE, "node_id"), 7),
        (("topology", "nodes"), {}),
    ):
        _refused(fixture, changed(body, value, *path))


def limit_of_nodes(fixture: Fixture) -> None:
    """A team has at most 100 nodes."""
    for number, fits in ((100, True), (101, False)):
        nodes = [fixture.names.node(f"n{at}", "round_robin", [fixture.names.agent("a")]) for at in range(number)]
        body = fixture.names.team(nodes, [("n0", f"n{at}", "calls") for at in range(1, number)])
        _fits_or_not(fixture, body, fits)


def limit_of_agents(fixture: Fixture) -> None:
    """A node has at most 20 agents."""
    for number, fits in ((20, True), (21, False)):
        agents = [fixture.names.agent(f"a{at}") for at in range(number)]
        _fits_or_not(fixture, changed(fixture.names.small(), agents, *NODE, "agents"), fits)


def limit_of_depth(fixture: Fixture) -> None:
    """A topology has at most 10 levels."""
    for number, fits in ((10, True), (11, False)):
        nodes = [fixture.names.node(f"n{at}", "round_robin", [fixture.names.agent("a")]) for at in range(number)]
        body = fixture.names.team(nodes, [(f"n{at}", f"n{at + 1}", "calls") for at in range(number - 1)])
        _fits_or_not(fixture, body, fits)


def limit_of_time(fixture: Fixture) -> None:
    """The timeout of a team is at most 30 minutes."""
    for seconds, fits in ((1, True), (1800, True), (1801, False), (0, False)):
        _fits_or_not(fixture, changed(fixture.names.small(), seconds, "timeout_seconds"), fits)


def _fits_or_not(fixture: Fixture, body: dict, fits: bool) -> None:
    if fits:
        success(fixture.client.get_team(fixture.team(body)))
    else:
        _refused(fixture, body)


SCENARIOS = (
    undefined_provider,
    undefined_model,
    unknown_tool,
    duplicate_node,
    edge_to_an_unknown_node,
    isolated_node,
    missing_fields,
    unknown_values,
    wrong_types,
    limit_of_nodes,
    limit_of_agents,
    limit_of_depth,
    limit_of_time,
)
