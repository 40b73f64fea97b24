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
  /** State in a run. */
  state?: PlanItemState;
  /** Third line: time and cost, or the strategy. */
  detail: string;
  /** Number of errors in the node. */
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
