/** `/sign-in#code`: trades the code for a cookie; without one it explains where to find the link. */
import { useEffect, useRef } from "react";
import { rest } from "../../wire/rest";
import { navigate } from "../../app/route";
import { useRequest } from "../../app/useRequest";
import { useWords } from "../../i18n/locale";
import { ErrorNotice } from "../components/ErrorNotice";
import { Card } from "./Card";

export function SignInPage({ code, onDone }: { code: string; onDone: () => void }) {
  const words = useWords();
  const [asking, ask] = useRequest();
  const asked = useRef("");
  useEffect(() => {
    // A code works once: asking twice would turn a success into a failure.
    if (!code || asked.current === code) return;
    asked.current = code;
    void ask(() => rest.signIn(code).then(() => true)).then((done) => {
      if (!done) return;
      navigate("/", "replace");
      onDone();
    });
  }, [code, ask, onDone]);
  return (
    <Card title={words.signIn.title}>
      {asking.busy || asking.data ? (
        <p role="status">{words.signIn.working}</p>
      ) : (
        <div className="stack">
          {asking.error && <ErrorNotice lead={words.signIn.failed}>{asking.error}</ErrorNotice>}
          <p>{words.signIn.text}</p>
          <p className="soft">{words.signIn.terminal}</p>
          <pre className="terminal">
            Roundtable listens on {location.origin}
            {"\n"}Sign in, once, within 60 minutes: {location.origin}/sign-in#…
          </pre>
          <p className="soft">
            {words.signIn.lost} <code>roundtable sign-in</code>
          </p>
          <p className="soft">{words.signIn.token}</p>
          <p className="soft">{words.signIn.colleague}</p>
        </div>
      )}
    </Card>
  );
}
