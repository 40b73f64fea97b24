/** What is in a file, as far as it can be shown without harm: nothing in it is ever run. */
import { useState } from "react";
import type { File, SessionId } from "../../protocol";
import { kindOf } from "../../state/files";
import { useTextContent } from "../../app/useTextContent";
import { useWords } from "../../i18n/locale";
import { fileUrl } from "../../wire/files";
import { Markdown } from "../markdown/Markdown";
import { ErrorNotice } from "../components/ErrorNotice";
import { isolateDirection } from "../../text/hiddenCharacters";

interface Props {
  session: SessionId;
  file: File;
}

export function FileContent({ session, file }: Props) {
  const words = useWords().files;
  const kind = kindOf(file);
  if (file.bytes === 0) return <p className="soft">{words.empty}</p>;
  if (kind === "other") return <p className="soft">{words.noPreview}</p>;
  const url = fileUrl(session, file.name, { version: file.version, preview: true });
  return kind === "image" ? (
    <Picture url={url} name={file.name} />
  ) : (
    <Text url={url} kind={kind} name={file.name} />
  );
}

function Picture({ url, name }: { url: string; name: string }) {
  const words = useWords().files;
  const [failed, setFailed] = useState(false);
  if (failed) return <ErrorNotice>{words.pictureFailed}</ErrorNotice>;
  return <img className="preview-picture" src={url} alt={name} onError={() => setFailed(true)} />;
}

function Text({ url, kind, name }: { url: string; kind: "markdown" | "page" | "text"; name: string }) {
  const words = useWords().files;
  const { data, error } = useTextContent(url);
  const [source, setSource] = useState(false);
  if (error) return <ErrorNotice>{error}</ErrorNotice>;
  if (!data) return <p className="soft">{words.loading}</p>;
  const { text, more } = data;
  return (
    <>
      {kind === "page" && (
        <div className="buttons end">
          <button type="button" aria-pressed={source} onClick={() => setSource(!source)}>
            {words.source}
          </button>
        </div>
      )}
      {kind === "page" && !source ? (
        // Without any permission no script in it runs, and it leads nowhere.
        <iframe className="preview-page" sandbox="" srcDoc={text} title={name} referrerPolicy="no-referrer" />
      ) : (
        // What scrolls must be reachable with the keyboard.
        <div className="preview-text" tabIndex={0} role="group" aria-label={name}>
          {kind === "markdown" ? <Markdown text={text} /> : <pre>{isolateDirection(text)}</pre>}
        </div>
      )}
      {more && <p className="soft">{words.cut}</p>}
    </>
  );
}
