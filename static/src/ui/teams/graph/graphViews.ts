/** What a graph shows: the same for a document that is edited and for a run that is watched. */
import type { PlanItemState } from "../../../protocol";

/** Node of a graph. */
export interface NodeView {
  /** Key in the graph, and of the selection. */
  key: string;
  /** Id that edges name. */
  id: string;
  name: string;
  /** Second line: type and agents. */
  facts: string;
  supervisor: boolean;
  /** State in a run. */
  state?: PlanItemState;
  /** Third line: time and cost, or the strategy. */
  detail: string;
  /** Number of errors in it. */
  errors: number;
}

/** Edge of a graph. */
export interface EdgeView {
  key: string;
  source: string;
  target: string;
  relation: string;
  /** Name of the relation for people. */
  label: string;
  /** True while work passes along it. */
  active: boolean;
  errors: number;
}
