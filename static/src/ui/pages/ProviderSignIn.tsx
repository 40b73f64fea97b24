/**
 * Sign-in at the server's identity provider, and the reason why the last attempt failed. Loaded on demand.
 */
import { useEffect, useState } from "react";
import type { SignInOptions } from "../../api";
import { useProviderTexts, type ProviderTexts } from "../../i18n/provider.en";
import { request } from "../../wire/rest";
import { ErrorNotice } from "../components/ErrorNotice";

/** Returns the text for an error code in the URL of the page. */
export function providerError(code: string, texts: ProviderTexts): string {
  const known: Record<string, string> = texts.errors;
  return (Object.hasOwn(known, code) && known[code]) || texts.other;
}

/**
 * Returns the path to show after a sign-in: the page that required it. The server accepts only its own paths.
 */
export function returnPath(path: string, search: string): string {
  if (!path.startsWith("/sign-in")) return path + search;
  return new URLSearchParams(search).get("return_to") ?? "/";
}

interface Props {
  /** Called before the browser leaves the page. */
  onLeave?: () => void;
}

/**
 * Buttons that lead to the provider, or sign in under the identity from the proxy. Empty if the server has
 * neither.
 */
export function ProviderSignIn({ onLeave }: Props) {
  const texts = useProviderTexts();
  const [{ oidc, proxy }, setOptions] = useState<SignInOptions>({});
  useEffect(() => {
    // Without a response, people can still use links and tokens, which the page explains.
    request<SignInOptions>("GET", "/api/v1/sign-in").then(setOptions, () => undefined);
  }, []);
  const leave = (path: string) => {
    onLeave?.();
    location.assign(path);
  };
  const error = location.pathname.startsWith("/sign-in")
    ? new URLSearchParams(location.search).get("error")
    : null;
  const to = new URLSearchParams({ return_to: returnPath(location.pathname, location.search) });
  return (
    <>
      {error && <ErrorNotice lead={texts.failed}>{providerError(error, texts)}</ErrorNotice>}
      {proxy && (
        <button type="button" className="primary" onClick={() => leave(`/api/v1/sign-in/proxy?${to}`)}>
          {texts.continueAs(proxy.user)}
        </button>
      )}
      {oidc && (
        <button type="button" className="primary" onClick={() => leave(`/api/v1/sign-in/oidc?${to}`)}>
          {texts.signIn(oidc.label)}
        </button>
      )}
    </>
  );
}
