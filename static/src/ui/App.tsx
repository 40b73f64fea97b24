/** Which page, and the connection behind those that need one. */
import { useCallback, useEffect, useState } from "react";
import { Client } from "../app/client";
import { ClientContext } from "../app/hooks";
import { isPlace, useRoute } from "../app/route";
import { whoAmI } from "../app/whoami";
import { Join } from "./pages/Join";
import { Nothing } from "./pages/Nothing";
import { SignIn } from "./pages/SignIn";
import { Shell } from "./shell/Shell";

function socketUrl(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/ws`;
}

export function App() {
  const route = useRoute();
  const [client, setClient] = useState(() => new Client(socketUrl()));
  const [known, setKnown] = useState<boolean | null>(null);
  const place = isPlace(route) ? route : null;
  const needed = place !== null;

  // Asked first: a browser that the server does not know is shown how to sign in, not a socket that will not open.
  useEffect(() => {
    if (!needed || known !== null) return;
    void whoAmI().then(
      (me) => setKnown(me !== null),
      () => setKnown(true),
    );
  }, [needed, known]);
  useEffect(() => {
    if (known) client.start();
  }, [known, client]);
  // Somebody else may sit before this browser now: nothing of the one before stays.
  const signedIn = useCallback(() => {
    setClient((old) => {
      old.connection.stop();
      return new Client(socketUrl());
    });
    setKnown(true);
  }, []);

  if (route.page === "nothing") return <Nothing />;
  if (route.page === "invite") return <Join secret={route.secret} onDone={signedIn} />;
  if (route.page === "sign-in" || known === false) {
    return <SignIn code={route.page === "sign-in" ? route.code : ""} onDone={signedIn} />;
  }
  if (known === null || !place) return null;
  return (
    <ClientContext value={client}>
      <Shell place={place} />
    </ClientContext>
  );
}
