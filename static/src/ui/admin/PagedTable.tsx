/** A table that grows page by page. */
import type { ReactNode } from "react";
import type { usePages } from "../../app/requests";
import { ErrorNotice } from "../components/ErrorNotice";
import { useAdminWords } from "./words";

interface Props<T> {
  pages: ReturnType<typeof usePages<T>>;
  heads: string[];
  /** Text for an empty table. */
  none: string;
  children: (item: T) => ReactNode;
}

export function PagedTable<T>({ pages, heads, none, children }: Props<T>) {
  const words = useAdminWords();
  const { items, next, busy, error, more } = pages;
  return (
    <>
      {error && <ErrorNotice>{error}</ErrorNotice>}
      <p className="soft" role="status">
        {busy ? words.loading : items && (items.length > 0 ? words.found(items.length) : none)}
      </p>
      {!!items?.length && (
        <table className="admin-table">
          <thead>
            <tr>
              {heads.map((head) => (
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
          {words.more}
        </button>
      )}
    </>
  );
}
