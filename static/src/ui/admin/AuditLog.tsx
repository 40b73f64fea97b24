/** Audit log, newest first, filtered by kind, outcome, time and actor. */
import { useCallback, useState } from "react";
import { usePages } from "../../app/requests";
import { useFormat } from "../../i18n/locale";
import { admin, AUDIT_ACTIONS, type AuditEntry, type AuditFilter } from "../../wire/admin";
import { PageLink } from "../components/PageLink";
import { PagedTable } from "./PagedTable";
import { useAdminTexts } from "../../i18n/admin.en";

const NO_FILTER: AuditFilter = { action: "", outcome: "", actor: "", since: "", until: "" };

export function AuditLog() {
  const texts = useAdminTexts();
  const [filter, setFilter] = useState(NO_FILTER);
  const [actor, setActor] = useState("");
  const read = useCallback(
    (before?: string) =>
      admin
        .audit(filter, before)
        .then(({ entries, next }) => ({ items: entries, next: next?.toString() ?? null })),
    [filter],
  );
  const pages = usePages(read);
  const { columns, filter: labels } = texts;
  const change = (some: Partial<AuditFilter>) => setFilter((old) => ({ ...old, ...some }));
  const only = (id: string, name: string) => {
    setActor(name);
    change({ actor: id });
  };
  return (
    <section aria-label={texts.audit}>
      <div className="admin-filter">
        <label>
          <span>{labels.action}</span>
          <select value={filter.action} onChange={(event) => change({ action: event.target.value })}>
            <option value="">{labels.every}</option>
            {AUDIT_ACTIONS.map((one) => (
              <option key={one} value={one}>
                {texts.actions[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{labels.outcome}</span>
          <select value={filter.outcome} onChange={(event) => change({ outcome: event.target.value })}>
            <option value="">{labels.both}</option>
            <option value="ok">{texts.outcomes.ok}</option>
            <option value="denied">{texts.outcomes.denied}</option>
          </select>
        </label>
        {(["since", "until"] as const).map((one) => (
          <label key={one}>
            <span>{labels[one]}</span>
            <input
              type="datetime-local"
              value={filter[one]}
              onChange={(event) => change({ [one]: event.target.value })}
            />
          </label>
        ))}
        {filter !== NO_FILTER && (
          <button type="button" onClick={() => setFilter(NO_FILTER)}>
            {labels.clear}
          </button>
        )}
        {filter.actor && <span className="tag">{labels.actor(actor)}</span>}
      </div>
      <PagedTable
        pages={pages}
        none={texts.none}
        headings={[
          columns.at,
          columns.actor,
          columns.action,
          columns.outcome,
          columns.subject,
          columns.address,
        ]}
      >
        {(entry) => <Entry key={entry.id} entry={entry} onActor={only} />}
      </PagedTable>
    </section>
  );
}

interface EntryProps {
  entry: AuditEntry;
  onActor: (id: string, name: string) => void;
}

function Entry({ entry, onActor }: EntryProps) {
  const texts = useAdminTexts();
  const format = useFormat();
  const { actor, session, subject, detail } = entry;
  const known: Record<string, string> = texts.actions;
  return (
    <tr data-action={entry.action} data-outcome={entry.outcome}>
      <td>
        <time dateTime={entry.at}>{format.full(entry.at)}</time>
      </td>
      <td>
        {!actor ? (
          texts.unknown
        ) : actor.id ? (
          <button
            type="button"
            className="quiet small"
            aria-label={texts.filter.only(actor.name)}
            onClick={() => onActor(actor.id!, actor.name)}
          >
            {actor.name}
          </button>
        ) : (
          actor.name
        )}{" "}
        {actor && <small>{texts.actors[actor.kind]}</small>}
      </td>
      <td>{known[entry.action] ?? entry.action}</td>
      <td>{texts.outcomes[entry.outcome]}</td>
      <td>
        {session && <PageLink to={`/s/${session}`}>{session}</PageLink>} {subject && <code>{subject}</code>}{" "}
        {detail && <small>{JSON.stringify(detail)}</small>}
      </td>
      <td>{entry.address}</td>
    </tr>
  );
}
