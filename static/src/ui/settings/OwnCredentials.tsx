/** My devices and tokens. Loaded on demand. */
import { manage } from "../../wire/manage";
import { useCredentialTexts } from "../../i18n/credentials.en";
import { CredentialList, type CredentialRequests } from "./CredentialList";
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
  const texts = useCredentialTexts();
  return (
    <>
      <OwnLastSignIn />
      <CredentialList
        requests={REQUESTS}
        title={texts.title}
        everywhereMeans={texts.everywhereMeans}
        onOut={onOut}
        {...(onCreate && { onCreate })}
      />
    </>
  );
}
