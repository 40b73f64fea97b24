/** The beginning of a text that the server has. */
import { useEffect } from "react";
import { fetchText, type TextPreview } from "../wire/content";
import { useRequest, type RequestResult } from "./useRequest";

export function useTextContent(url: string): RequestResult<TextPreview> {
  const [asking, ask] = useRequest<TextPreview>();
  useEffect(() => {
    const gone = new AbortController();
    void ask(() => fetchText(url, gone.signal));
    return () => gone.abort();
  }, [url, ask]);
  return asking;
}
