"""Checks of the events of an execution, by the document's table of events and its example of a stream."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from expect import Mismatch, any_text, anything, count, equal, expect, mapping, shape, show, text, timestamp, uuid_text
from sse import Event

# Required fields from the table, and further fields from the example.
FIELDS = {
    "execution_start": {"execution_id": uuid_text, "started_at": timestamp},
    "global_supervisor_message": {"supervisor_id": text, "message": any_text, "timestamp": timestamp},
    "global_supervisor_decision": {"supervisor_id": text, "decision": text, "timestamp": timestamp},
    "node_supervisor_message": {"node_id": text, "supervisor_id": text, "message": any_text, "timestamp": timestamp},
    "node_supervisor_decision": {"node_id": text, "supervisor_id": text, "decision": text, "timestamp": timestamp},
    "agent_message": {"node_id": text, "agent_id": text, "message": any_text, "timestamp": timestamp},
    "tool_call": {
        "node_id": text,
        "agent_id": text,
        "tool": text,
        "input": anything,
        "output": anything,
        "timestamp": timestamp,
    },
    "node_complete": {"node_id": text, "supervisor_id": text, "result": any_text, "timestamp": timestamp},
    "execution_complete": {"execution_id": uuid_text, "status": text, "duration_ms": count},
    "execution_error": {},
    "heartbeat": {},
}
GLOBAL_EVENTS = ("global_supervisor_message", "global_supervisor_decision")
LAST_EVENTS = ("execution_complete", "execution_error")


@dataclass(frozen=True)
class TeamEvent:
    """Event of an execution with its data."""

    name: str
    data: dict
    id: str

    @property
    def node(self) -> str | None:
        return self.data.get("node_id")

    @property
    def agent(self) -> str | None:
        return self.data.get("agent_id")


def read_event(event: Event, team: str) -> TeamEvent:
    """Checks the name, the id and the fields of one event."""
    expect(event.name in FIELDS, f"event {event.name} is not in the document's table; its data: {event.data}")
    try:
        data = json.loads(event.data)
    except ValueError:
        raise Mismatch(f"{event.name}: data is not JSON: {event.data}") from None
    shape(data, {"team_id": team, **FIELDS[event.name]}, event.name)
    if event.name in GLOBAL_EVENTS:
        expect("node_id" not in data, f"{event.name}: must not have node_id, has {show(data)}")
        equal(data["supervisor_id"], "global-supervisor", f"{event.name}: supervisor_id")
    elif "supervisor_id" in FIELDS[event.name]:
        equal(data["supervisor_id"], f"{data['node_id']}-supervisor", f"{event.name}: supervisor_id")
    expect(event.name == "heartbeat" or event.own_id and event.last_event_id, f"{event.name}: the event has no id")
    return TeamEvent(event.name, data, event.last_event_id)


def read_events(stream, team: str) -> list[TeamEvent]:
    """Reads a stream to its end. Returns its events without heartbeats, which come at any time."""
    events = [read_event(event, team) for event in stream]
    return [event for event in events if event.name != "heartbeat"]


def same_input(sent: dict) -> Callable[[object], bool]:
    """Returns a check that the input of an execution is the one that was sent. It can have further fields."""

    def input_as_sent(found: object) -> bool:
        return isinstance(found, dict) and {name: found.get(name) for name in sent["input"]} == sent["input"]

    return input_as_sent


def check_result(result: object, nodes: list[str], what: str) -> None:
    """Checks the result of an execution whose nodes were all successful."""
    result = shape(result, {"summary": text, "node_results": lambda value: isinstance(value, list)}, f"{what}: result")
    entries = [
        shape(entry, {"node_id": text, "status": "success", "output": text}, f"{what}: result.node_results")
        for entry in result["node_results"]
    ]
    equal(sorted(entry["node_id"] for entry in entries), sorted(nodes), f"{what}: nodes of result.node_results")


class Trace:
    """The events of one execution that succeeded."""

    def __init__(self, events: list[TeamEvent], body: dict):
        self.events = events
        self.nodes = {
            node["node_id"]: [agent["agent_id"] for agent in node["agents"]] for node in body["topology"]["nodes"]
        }
        self.edges = body["topology"]["edges"]
        self._check_order()
        for node, agents in self.nodes.items():
            self._check_node(node, agents)

    @property
    def execution(self) -> str:
        return self.events[0].data["execution_id"]

    def positions(self, *names: str, node: str | None = None, agent: str | None = None) -> list[int]:
        """Returns where events with these names are, or all events, of this node and agent."""
        return [
            at
            for at, event in enumerate(self.events)
            if (not names or event.name in names) and node in (None, event.node) and agent in (None, event.agent)
        ]

    def agents_in_order(self, node: str) -> list[str]:
        """Returns the agents of a node in the order of their first messages."""
        agents = [self.events[at].agent for at in self.positions("agent_message", node=node)]
        return list(dict.fromkeys(agents))

    def span(self, node: str) -> tuple[int, int]:
        """Returns where the first event of a node and its `node_complete` are."""
        return self.positions(node=node)[0], self.positions("node_complete", node=node)[0]

    def _check_order(self) -> None:
        names = [event.name for event in self.events]
        expect(names, "the stream has no events")
        equal(names[0], "execution_start", "first event")
        equal(names[-1], "execution_complete", f"last event, whose data is {show(self.events[-1].data)}")
        for name in ("execution_start", "execution_complete"):
            equal(names.count(name), 1, f"number of {name}")
        expect("execution_error" not in names, "a successful execution must not have execution_error")
        ids = [event.id for event in self.events]
        equal(len(set(ids)), len(ids), "number of different ids of events")
        last = shape(self.events[-1].data, {"status": "success", "result": mapping}, "execution_complete")
        equal(last["execution_id"], self.execution, "execution_complete: execution_id")
        check_result(last["result"], list(self.nodes), "execution_complete")
        expect(self.positions("global_supervisor_message"), "there is no global_supervisor_message")
        decisions = self.positions("global_supervisor_decision")
        expect(decisions, "there is no global_supervisor_decision")
        strangers = {event.node for event in self.events if event.node is not None} - self.nodes.keys()
        expect(not strangers, f"events of nodes that the team does not have: {sorted(strangers)}")
        of_nodes = [at for at, event in enumerate(self.events) if event.node is not None]
        expect(of_nodes, "there are no events of nodes")
        expect(decisions[0] < of_nodes[0], "the first global_supervisor_decision comes after an event of a node")

    def _check_node(self, node: str, agents: list[str]) -> None:
        done = self.positions("node_complete", node=node)
        equal(len(done), 1, f"number of node_complete of {node}")
        messages = self.positions("agent_message", node=node)
        expect(messages, f"{node}: there is no agent_message")
        expect(messages[-1] < done[0], f"{node}: an agent_message comes after node_complete")
        for name in ("node_supervisor_message", "node_supervisor_decision"):
            found = self.positions(name, node=node)
            expect(found and found[0] < done[0], f"{node}: there is no {name} before node_complete")
        decision = self.positions("node_supervisor_decision", node=node)[0]
        expect(decision < messages[0], f"{node}: an agent_message comes before the first node_supervisor_decision")
        for at in self.positions("agent_message", "tool_call", node=node):
            agent = self.events[at].agent
            expect(agent in agents, f"{self.events[at].name}: {agent} is no agent of {node}, which has {agents}")

    def upstream(self) -> list[tuple[str, str]]:
        """Returns pairs of nodes of which the first works before the second, by the edges."""
        pairs = []
        for edge in self.edges:
            source, target = edge["source_node_id"], edge["target_node_id"]
            if edge["relation_type"] in ("calls", "data_flow"):
                pairs.append((source, target))
            elif edge["relation_type"] == "depends_on":
                pairs.append((target, source))
        return pairs


def check_end(events: list[TeamEvent], status: str) -> None:
    """Checks the last event of an execution that did not succeed: the document has two events for that."""
    names = [event.name for event in events]
    expect(names and names[-1] in LAST_EVENTS, f"last event: expected one of {LAST_EVENTS}, got {names[-1:]}")
    expect("execution_start" not in names[1:], "number of execution_start: expected 1, got more")
    if events[-1].name == "execution_complete":
        equal(events[-1].data["status"], status, "execution_complete: status")
