/** The documents of a knowledge base. */
import { useCallback, useEffect, useRef, useState } from "react";
import { knowledge, type Document } from "../wire/knowledge";
import { addressOf } from "./documents";
import { useClient } from "./hooks";
import { useTransfers } from "./transfers";
import { useOccasion } from "./useOccasion";
import { useRequest } from "./useRequest";

interface Documents {
  /** Null until they are known. */
  documents: Document[] | null;
  /** Why they are not known. */
  refusal: string | null;
  refresh: () => Promise<void>;
}

export function useDocuments(base: number): Documents {
  const client = useClient();
  const [documents, setDocuments] = useState<Document[] | null>(null);
  const [asking, request] = useRequest();
  const occasion = useOccasion();
  const onTheirWay = useTransfers(addressOf(base)).filter((one) => one.state !== "refused").length;
  const asked = useRef({ now: false, again: false });
  const refresh = useCallback(async () => {
    // Where many come at once, one more look after this one shows them all.
    asked.current.again = true;
    if (asked.current.now) return;
    asked.current.now = true;
    while (asked.current.again) {
      asked.current.again = false;
      await request(async () => {
        const [{ documents }] = await Promise.all([knowledge.documents(base), client.refreshBases()]);
        setDocuments(documents);
      });
    }
    asked.current.now = false;
  }, [request, base, client]);
  // What was on its way may be there now.
  useEffect(() => {
    if (occasion) void refresh();
  }, [refresh, occasion, onTheirWay]);
  return { documents, refusal: asking.refusal, refresh };
}
