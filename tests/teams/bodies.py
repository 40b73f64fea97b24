"""Bodies of requests: the examples of the document, with names in the place of `string`."""

import copy
from dataclasses import dataclass
from typing import Any

# Placeholder of the task in `user_prompt_template`. The document names no syntax. This is the one of LangChain, its
# framework.
TASK_PLACEHOLDER = "{task}"

# The body of the document for an execution, as it is.
EXECUTION = {
    "input": {"task": "string", "context": {"key": "value"}},
    "timeout_seconds": 300,
    "stream": True,
}

# The schema of the document for structured output, as it is.
OUTPUT_SCHEMA = {
    "type": "object",
    "properties": {
        "summary": {"type": "string", "description": "执行结果摘要"},
        "issues": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "severity": {"type": "string", "enum": ["critical", "high", "medium", "low"]},
                    "description": {"type": "string"},
                    "affected_node": {"type": "string"},
                    "recommendation": {"type": "string"},
                },
            },
        },
        "metrics": {
            "type": "object",
            "properties": {
                "total_nodes_analyzed": {"type": "integer"},
                "issues_found": {"type": "integer"},
                "execution_time_ms": {"type": "integer"},
            },
        },
    },
    "required": ["summary", "issues"],
}

# The four edges of the example's summary. `node-a`, `node-b`, `node-c` is the only order that all of them allow.
EDGES = [
    ("node-a", "node-b", "calls"),
    ("node-c", "node-b", "depends_on"),
    ("node-a", "node-c", "data_flow"),
    ("node-b", "node-c", "integrates"),
]


@dataclass(frozen=True)
class Names:
    """What exists on the server: a model provider, models of it, and a tool that runs without approval."""

    provider: str
    model: str
    tool: str
    # A model whose every request fails. None: there is none.
    broken_model: str | None = None

    @property
    def model_fields(self) -> dict:
        return {"model_provider": self.provider, "model_id": self.model}

    def agent(self, agent_id: str, tools: bool = False) -> dict:
        """The agent of the document's example."""
        return {
            "agent_id": agent_id,
            "agent_name": f"Agent {agent_id}",
            **self.model_fields,
            "system_prompt": "You analyze the logs of one service.",
            "user_prompt_template": TASK_PLACEHOLDER,
            "tools": [self.tool] if tools else [],
            "temperature": 0.7,
            "max_tokens": 4096,
        }

    def node(self, node_id: str, strategy: str, agents: list[dict]) -> dict:
        """The node of the document's example."""
        return {
            "node_id": node_id,
            "node_name": f"Node {node_id}",
            "node_type": "service",
            "attributes": {"key": "value"},
            "agents": agents,
            "supervisor_config": {
                **self.model_fields,
                "system_prompt": "You coordinate the agents of one service.",
                "coordination_strategy": strategy,
            },
        }

    def team(self, nodes: list[dict], edges: list[tuple[str, str, str]], strategy: str = "hierarchical") -> dict:
        """The document's example of a team, with these nodes and edges."""
        names = ("source_node_id", "target_node_id", "relation_type")
        return {
            "topology": {
                "nodes": nodes,
                "edges": [{**dict(zip(names, edge)), "attributes": {"key": "value"}} for edge in edges],
                "global_supervisor": {
                    **self.model_fields,
                    "system_prompt": "You coordinate all nodes.",
                    "coordination_strategy": strategy,
                },
            },
            "team_name": "System diagnosis",
            "description": "Finds the cause of an incident",
            "timeout_seconds": 300,
            "max_iterations": 50,
        }

    def example(self, strategy: str = "hierarchical", edges: list | None = None) -> dict:
        """The team of the document's metric and summary: 3 nodes with 3 agents each, and 4 edges."""
        strategies = {"a": "round_robin", "b": "priority", "c": "adaptive"}
        nodes = [
            self.node(f"node-{letter}", of_node, [self.agent(f"{letter.upper()}{number}") for number in (1, 2, 3)])
            for letter, of_node in strategies.items()
        ]
        return self.team(nodes, EDGES if edges is None else edges, strategy)

    def small(self) -> dict:
        """The smallest team with all parts: one node with one agent for each of two services."""
        nodes = [self.node(f"node-{letter}", "round_robin", [self.agent("agent-1")]) for letter in "ab"]
        return self.team(nodes, [("node-a", "node-b", "calls")])

    def long(self) -> dict:
        """A team whose 10 nodes with 20 agents work one after another: it is busy until it is paused or cancelled."""
        nodes = [self.node(f"node-{at}", "priority", [self.agent(f"agent-{n}") for n in range(20)]) for at in range(10)]
        return self.team(nodes, [(f"node-{at}", f"node-{at + 1}", "calls") for at in range(9)], "sequential")


def execution(task: str = "Analyze the logs", **fields: Any) -> dict:
    """The document's example of an execution with this task."""
    body = copy.deepcopy(EXECUTION)
    body["input"]["task"] = task
    return {**body, **fields}


def structured(execution_id: str | None = None, **fields: Any) -> dict:
    """The document's example of a request for structured output. Without an id: of the latest execution."""
    body = {"output_schema": copy.deepcopy(OUTPUT_SCHEMA), "include_raw_output": False, **fields}
    return body if execution_id is None else {"execution_id": execution_id, **body}


def changed(body: dict, value: Any, *path: Any) -> dict:
    """Returns a copy with this value at this path: `changed(body, "x", "topology", "nodes", 0, "node_id")`."""
    body = copy.deepcopy(body)
    place = body
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return body


def without(body: dict, *path: Any) -> dict:
    """Returns a copy without the field at this path."""
    body = copy.deepcopy(body)
    place = body
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return body
