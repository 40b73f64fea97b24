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

  // This is the first request, so that a browser that is not signed in shows the sign-in page instead of
  // trying to open a socket.
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
  // Another person might be using this browser now, so all state of the previous person is discarded.
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
