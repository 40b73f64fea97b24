/** A passage that somebody looks at in a session: its document, from the call that found it. */
import { useEffect } from "react";
import { previewPassage, usePreviewedPassage } from "../../app/preview";
import { DocumentView } from "./DocumentView";

export function PassagePreview() {
  const shown = usePreviewedPassage();
  const close = () => previewPassage(null);
  useEffect(() => close, []);
  if (!shown) return null;
  const { base, hit, query } = shown;
  return <DocumentView base={base} name={hit.document} hit={hit} query={query} onClose={close} />;
}
