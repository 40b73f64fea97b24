/** A schema of team documents, with the notations that the server's generator uses. */
const supervisor = (strategies: string[]) => ({
  type: "object",
  properties: {
    model_provider: { type: "string" },
    model_id: { type: "string" },
    system_prompt: { type: "string" },
    coordination_strategy: {
      description: "Order of work.",
      default: strategies[0],
      oneOf: strategies.map((one) => ({ type: "string", const: one, description: one })),
    },
  },
  required: ["model_provider", "model_id", "system_prompt"],
});

export const documentSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: {
    team_name: { type: "string", description: "Name of the team.", maxLength: 500 },
    description: { type: ["string", "null"] },
    timeout_seconds: { type: "integer", minimum: 1, maximum: 1800, default: 300 },
    topology: { $ref: "#/$defs/Topology" },
  },
  required: ["team_name", "topology"],
  $defs: {
    Topology: {
      type: "object",
      properties: {
        nodes: { type: "array", items: { $ref: "#/$defs/Node" } },
        edges: { type: "array", items: { $ref: "#/$defs/Edge" } },
        global_supervisor: { $ref: "#/$defs/GlobalSupervisor" },
        allow_isolated_nodes: { type: "boolean", default: false },
      },
      required: ["nodes", "edges", "global_supervisor"],
    },
    Node: {
      type: "object",
      properties: {
        node_id: { type: "string" },
        node_name: { type: "string" },
        node_type: { type: "string" },
        attributes: { type: "object", additionalProperties: true },
        agents: { type: "array", items: { $ref: "#/$defs/Agent" } },
        supervisor_config: { description: "Supervisor.", allOf: [{ $ref: "#/$defs/NodeSupervisor" }] },
      },
      required: ["node_id", "node_name", "node_type", "agents", "supervisor_config"],
    },
    Agent: {
      type: "object",
      properties: {
        agent_id: { type: "string" },
        agent_name: { type: "string" },
        model_provider: { type: "string" },
        model_id: { type: "string" },
        system_prompt: { type: "string" },
        user_prompt_template: { anyOf: [{ type: "string" }, { type: "null" }] },
        tools: { type: "array", items: { type: "string" } },
        temperature: { anyOf: [{ $ref: "#/$defs/Temperature" }, { type: "null" }] },
        max_tokens: { type: ["integer", "null"], minimum: 1 },
      },
      required: ["agent_id", "agent_name", "model_provider", "model_id", "system_prompt"],
    },
    Temperature: { type: "number", minimum: 0, maximum: 2 },
    Edge: {
      type: "object",
      properties: {
        source_node_id: { type: "string" },
        target_node_id: { type: "string" },
        relation_type: { $ref: "#/$defs/Relation" },
        attributes: { type: "object", additionalProperties: true },
      },
      required: ["source_node_id", "target_node_id", "relation_type"],
    },
    Relation: { type: "string", enum: ["calls", "depends_on", "integrates", "monitors", "data_flow"] },
    NodeSupervisor: supervisor(["round_robin", "priority", "adaptive"]),
    GlobalSupervisor: supervisor(["hierarchical", "parallel", "sequential"]),
  },
};
