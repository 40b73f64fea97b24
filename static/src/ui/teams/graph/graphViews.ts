/** View model of a graph, for both a document in the editor and a running topology. */
import type { PlanItemState } from "../../../protocol";

/** Node in a graph. */
export interface NodeView {
  /** Key in the graph, and in the selection. */
  key: string;
  /** Id that edges refer to. */
  id: string;
  name: string;
  /** Second line: type and agents. */
  facts: string;
  supervisor: boolean;
  /** State in a run; undefined in the editor. */
  state?: PlanItemState;
  /** Third line: time and cost, or the strategy. */
  detail: string;
  /** Number of errors in the node. */
  errors: number;
  /** Agents that the node shows, in the order in which they work. */
  agents: AgentView[];
  /** Number of agents that the node does not show. */
  more: number;
}

/** Agent inside a node of a graph. */
export interface AgentView {
  /** Key in the selection. */
  key: string;
  name: string;
  /** Name of the model; empty if it is not set. */
  detail: string;
  supervisor: boolean;
  /** Place in the order of work, starting at 1; null if the node's strategy does not order its agents. */
  place: number | null;
  priority: number;
  /** State in a run. */
  state?: PlanItemState;
  /** End of the message that the agent is writing; undefined if it is not writing. */
  writing?: string;
  /** Number of errors in the agent. */
  errors: number;
}

/** Edge of a graph. */
export interface EdgeView {
  key: string;
  source: string;
  target: string;
  relation: string;
  /** Display name of the relation. */
  label: string;
  /** True while work passes along it. */
  active: boolean;
  errors: number;
}
