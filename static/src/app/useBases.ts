/** The knowledge bases that I may read. */
import { useEffect } from "react";
import type { Base } from "../wire/knowledge";
import { useApp, useClient } from "./hooks";
import { useRefreshTrigger } from "./useRefreshTrigger";
import { useMutation } from "./useMutation";

/** Null until they are known; `refusal`: why they are not. They are asked for again where `page` is another one. */
export function useBases(page: unknown = null): { bases: Base[] | null; refusal: string | null } {
  const client = useClient();
  const bases = useApp((app) => app.bases);
  const [asking, request] = useMutation();
  const occasion = useRefreshTrigger();
  useEffect(() => {
    if (occasion) void request(() => client.refreshBases());
  }, [request, client, occasion, page]);
  return { bases, refusal: asking.error };
}
