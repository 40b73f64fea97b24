/** Time and method of a person's last sign-in. Loaded on demand. */
import { useEffect, useState } from "react";
import type { LastSignInResponse } from "../../api";
import { useFormat } from "../../i18n/locale";
import { rest } from "../../wire/rest";
import { useCredentialTexts, type CredentialTexts } from "../../i18n/credentials.en";

/** Returns the method of a sign-in as text, with the name of the provider. */
export function signInMethod(last: LastSignInResponse, texts: CredentialTexts): string {
  const { method, provider } = last;
  return method === "oidc" && provider ? texts.signIn.at(provider) : texts.signIn.methods[method];
}

/** A person's latest sign-in; undefined if they have never signed in. */
export function LastSignIn({ last }: { last: LastSignInResponse | undefined }) {
  const texts = useCredentialTexts();
  const format = useFormat();
  return (
    <p className="last-sign-in" data-testid="last-sign-in">
      {texts.signIn.label}{" "}
      <span className="soft">
        {last ? texts.signIn.when(signInMethod(last, texts), format.full(last.at)) : texts.signIn.never}
      </span>
    </p>
  );
}

/** My latest sign-in: that of this browser, unless I have signed in elsewhere since. */
export function OwnLastSignIn() {
  const [last, setLast] = useState<LastSignInResponse | null | undefined>(null);
  useEffect(() => {
    // If the request fails, nothing is shown, and the rest of the dialog still works.
    rest.me().then(
      (me) => setLast(me.last_sign_in),
      () => undefined,
    );
  }, []);
  return last === null ? null : <LastSignIn last={last} />;
}
