/** Which heading stays on top while its step is being read. */
import type { Row } from "../../state/timeline";

/** For every row the index of the heading that it stands under, or -1. */
export function stickyHeadings(rows: Row[]): Int32Array {
  const sticky = new Int32Array(rows.length).fill(-1);
  let heading = -1;
  for (const [i, row] of rows.entries()) {
    if (row.kind === "step") heading = i;
    else if (row.kind !== "message" || (row.message && row.message.by.kind !== "agent")) heading = -1;
    sticky[i] = heading;
  }
  return sticky;
}
