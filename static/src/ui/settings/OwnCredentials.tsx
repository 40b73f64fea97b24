/** My devices and tokens. Loaded on demand. */
import { manage } from "../../wire/manage";
import { CredentialList, useCredentialWords, type CredentialRequests } from "./CredentialList";
import { OwnLastSignIn } from "./LastSignIn";

const REQUESTS: CredentialRequests = {
  list: manage.credentials,
  end: manage.endCredential,
  everywhere: manage.signOutEverywhere,
};

interface Props {
  onOut: () => void;
  onCreate: (() => void) | undefined;
}

/** `onOut` is called when this browser has been signed out. Without `onCreate`, tokens cannot be created. */
export function OwnCredentials({ onOut, onCreate }: Props) {
  const words = useCredentialWords();
  return (
    <>
      <OwnLastSignIn />
      <CredentialList
        requests={REQUESTS}
        title={words.title}
        everywhereMeans={words.everywhereMeans}
        onOut={onOut}
        {...(onCreate && { onCreate })}
      />
    </>
  );
}
