/** The knowledge bases that I may read. */
import { useEffect } from "react";
import type { Base } from "../wire/knowledge";
import { useApp, useClient } from "./hooks";
import { useAnswer } from "./useAnswer";
import { useFresh } from "./useFresh";

/** Null until they are known; `refusal`: why they are not. They are asked for again where `page` is another one. */
export function useBases(page: unknown = null): { bases: Base[] | null; refusal: string | null } {
  const client = useClient();
  const bases = useApp((app) => app.bases);
  const [asking, ask] = useAnswer<unknown>();
  const fresh = useFresh();
  useEffect(() => {
    if (fresh) void ask(() => client.refreshBases());
  }, [ask, client, fresh, page]);
  return { bases, refusal: asking.refusal };
}
