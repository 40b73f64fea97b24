/** Selects the page, and opens the connection for pages that need one. */
import { useCallback, useEffect, useState } from "react";
import { Client } from "../app/client";
import { ClientContext } from "../app/hooks";
import { isSignedInRoute, useRoute } from "../app/route";
import { fetchCurrentUser } from "../app/currentUser";
import { InvitePage } from "./pages/InvitePage";
import { NotFoundPage } from "./pages/PageLayout";
import { SignInPage } from "./pages/SignInPage";
import { Shell } from "./shell/Shell";

function socketUrl(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/ws`;
}

export function App() {
  const route = useRoute();
  const [client, setClient] = useState(() => new Client(socketUrl()));
  const [known, setKnown] = useState<boolean | null>(null);
  const signedInRoute = isSignedInRoute(route) ? route : null;
  const needed = signedInRoute !== null;

  // First request: an unknown browser gets the sign-in page instead of a socket that does not open.
  useEffect(() => {
    if (!needed || known !== null) return;
    void fetchCurrentUser().then(
      (me) => setKnown(me !== null),
      () => setKnown(true),
    );
  }, [needed, known]);
  useEffect(() => {
    if (known) client.start();
  }, [known, client]);
  // Another person may be using this browser now, so nothing of the previous one stays.
  const signedIn = useCallback(() => {
    setClient((old) => {
      old.connection.stop();
      return new Client(socketUrl());
    });
    setKnown(true);
  }, []);

  if (route.page === "not-found") return <NotFoundPage />;
  if (route.page === "invite") return <InvitePage secret={route.secret} onDone={signedIn} />;
  if (route.page === "sign-in" || known === false) {
    return <SignInPage code={route.page === "sign-in" ? route.code : ""} onDone={signedIn} />;
  }
  if (known === null || !signedInRoute) return null;
  return (
    <ClientContext value={client}>
      <Shell route={signedInRoute} />
    </ClientContext>
  );
}
