/** A passage that somebody looks at in a session: its document, from the call that found it. */
import { useEffect } from "react";
import { showPassage, useShownPassage } from "../../app/shown";
import { DocumentView } from "./DocumentView";

export function ShownPassage() {
  const shown = useShownPassage();
  const close = () => showPassage(null);
  useEffect(() => close, []);
  if (!shown) return null;
  const { base, hit, query } = shown;
  return <DocumentView base={base} name={hit.document} hit={hit} query={query} onClose={close} />;
}
