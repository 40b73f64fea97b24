/** Dialog in which I choose who votes on my behalf, and until when. */
import { useState } from "react";
import type { SessionId } from "../../protocol";
import { rightsWith } from "../../state/participants";
import { useClient, useLive, useMe, useSession } from "../../app/hooks";
import { useTexts } from "../../i18n/locale";
import { Dialog, FormDialog } from "../components/Dialog";
import { distinctName } from "../names";
import { SelectField } from "../settings/SelectField";
import { fieldTime, isComplete, LIMITS, untilOf, type DelegateDraft } from "./delegateDraft";
import { useVoteFormTexts } from "../../i18n/voteForms.en";

/** Milliseconds from now until the initial time in the field. */
const FIRST_MS = 24 * 3_600_000;

export function DelegateDialog({ session, onClose }: { session: SessionId; onClose: () => void }) {
  const { roles, manage } = useTexts();
  const { delegate: texts } = useVoteFormTexts();
  const client = useClient();
  const live = useLive();
  const me = useMe();
  const known = useSession(session, ({ participants, formerParticipants }) => ({
    participants,
    formerParticipants,
  }));
  const rules = useSession(session, (state) => state.settings?.rights);
  const people = known.participants.filter(
    ({ id, role }) => id !== me && rightsWith(role, rules).includes("approve"),
  );
  const [draft, setDraft] = useState<DelegateDraft>(() => ({
    to: people[0]?.id ?? "",
    limit: "none",
    time: fieldTime(Date.now() + FIRST_MS),
  }));
  const set = (changes: Partial<DelegateDraft>) => setDraft((old) => ({ ...old, ...changes }));
  if (people.length === 0)
    return (
      <Dialog title={texts.title} onClose={onClose}>
        <p>{texts.nobody}</p>
      </Dialog>
    );
  const save = () => {
    const until = untilOf(draft, Date.now());
    client.delegateVotes(session, { to: draft.to, ...(until && { until }) });
    onClose();
  };
  return (
    <FormDialog
      title={texts.title}
      submit={texts.submit}
      incomplete={!live || !isComplete(draft, Date.now())}
      onSubmit={save}
      onClose={onClose}
    >
      <p>{texts.means}</p>
      <SelectField
        name="to"
        label={texts.who}
        value={draft.to}
        options={people.map(({ id, name, role }) => [
          id,
          manage.marked(distinctName(known, id, name), [roles[role]]),
        ])}
        onChange={(to) => set({ to })}
      />
      <SelectField
        name="until"
        label={texts.until}
        value={draft.limit}
        options={LIMITS.map((limit) => [limit, texts.limits[limit]])}
        onChange={(limit) => set({ limit })}
      />
      {draft.limit === "time" && (
        <label>
          <span>{texts.time}</span>
          <input
            name="time"
            type="datetime-local"
            required
            min={fieldTime(Date.now())}
            value={draft.time}
            onChange={(event) => set({ time: event.target.value })}
          />
        </label>
      )}
    </FormDialog>
  );
}
