/** A small link that fetches a content under its name. */
import { Icon } from "../parts/Icon";

export function Download({ url, name, label }: { url: string; name: string; label: string }) {
  return (
    <a className="button quiet square small" href={url} download={name} aria-label={label} title={label}>
      <Icon name="download" size={14} />
    </a>
  );
}
