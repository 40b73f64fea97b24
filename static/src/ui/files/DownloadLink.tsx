/** A small link that fetches a content under its name. */
import { Icon } from "../components/Icon";

interface Props {
  url: string;
  name: string;
  label: string;
  /** What is written beside the drawing, where there is room for it. */
  word?: string;
}

export function DownloadLink({ url, name, label, word }: Props) {
  return (
    <a
      className={word ? "button quiet small" : "button quiet square small"}
      href={url}
      download={name}
      aria-label={label}
      title={label}
    >
      <Icon name="download" size={14} /> {word && <span className="act-word">{word}</span>}
    </a>
  );
}
