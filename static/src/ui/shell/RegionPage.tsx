/** A region that is alone on screen, as on a phone, is the page: with its heading, and where the skip link leads. */
import type { ReactNode } from "react";

interface Props {
  alone: boolean;
  title: string;
  children: ReactNode;
}

export function RegionPage({ alone, title, children }: Props) {
  if (!alone) return children;
  return (
    <main className="as-page" id="conversation" tabIndex={-1}>
      <h1 className="hidden">{title}</h1>
      {children}
    </main>
  );
}
