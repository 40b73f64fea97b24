/** The knowledge bases that I may read. */
import { useEffect } from "react";
import type { Base } from "../wire/knowledge";
import { useApp, useClient } from "./hooks";
import { useOccasion } from "./useOccasion";
import { useRequest } from "./useRequest";

/** Null until they are known; `refusal`: why they are not. They are asked for again where `page` is another one. */
export function useBases(page: unknown = null): { bases: Base[] | null; refusal: string | null } {
  const client = useClient();
  const bases = useApp((app) => app.bases);
  const [asking, request] = useRequest();
  const occasion = useOccasion();
  useEffect(() => {
    if (occasion) void request(() => client.refreshBases());
  }, [request, client, occasion, page]);
  return { bases, refusal: asking.refusal };
}
