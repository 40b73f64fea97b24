/** A table that grows page by page. */
import type { ReactNode } from "react";
import type { usePages } from "../../app/requests";
import { ErrorNotice } from "../components/ErrorNotice";
import { useAdminTexts } from "../../i18n/admin.en";

interface Props<T> {
  pages: ReturnType<typeof usePages<T>>;
  headings: string[];
  /** Text for an empty table. */
  none: string;
  children: (item: T) => ReactNode;
}

export function PagedTable<T>({ pages, headings, none, children }: Props<T>) {
  const texts = useAdminTexts();
  const { items, next, busy, error, more } = pages;
  return (
    <>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      <p className="soft" role="status">
        {busy ? texts.loading : items && (items.length > 0 ? texts.found(items.length) : none)}
      </p>
      {!!items?.length && (
        <table className="admin-table">
          <thead>
            <tr>
              {headings.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{items.map(children)}</tbody>
        </table>
      )}
      {next && (
        <button type="button" disabled={busy} onClick={more}>
          {texts.more}
        </button>
      )}
    </>
  );
}
