/** The documents of a knowledge base. */
import { useCallback, useEffect, useRef, useState } from "react";
import { knowledge, type Document } from "../wire/knowledge";
import { baseUploadTarget } from "./documents";
import { useClient } from "./hooks";
import { useUploads } from "./uploadQueue";
import { useRefreshTrigger } from "./useRefreshTrigger";
import { useMutation } from "./useMutation";

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
  const [asking, request] = useMutation();
  const occasion = useRefreshTrigger();
  const onTheirWay = useUploads(baseUploadTarget(base)).filter((one) => one.state !== "refused").length;
  const asked = useRef({ now: false, again: false, changed: false });
  const look = useCallback(
    async (changed: boolean) => {
      // Where many come at once, one more look after this one shows them all.
      asked.current.again = true;
      asked.current.changed ||= changed;
      if (asked.current.now) return;
      asked.current.now = true;
      while (asked.current.again) {
        const other = asked.current.changed;
        asked.current = { now: true, again: false, changed: false };
        await request(async () => {
          const [documents] = await Promise.all([
            knowledge.documents(base),
            // The page of the base asks for the bases itself; with its documents, what they say of it changes.
            other && client.refreshBases(),
          ]);
          setDocuments(documents);
        });
      }
      asked.current.now = false;
    },
    [request, base, client],
  );
  const refresh = useCallback(() => look(true), [look]);
  useEffect(() => {
    if (occasion) void look(false);
  }, [look, occasion]);
  // What was on its way may be there now.
  const before = useRef(onTheirWay);
  useEffect(() => {
    if (before.current === onTheirWay) return;
    before.current = onTheirWay;
    void refresh();
  }, [refresh, onTheirWay]);
  return { documents, refusal: asking.error, refresh };
}
