/** Actions on a team: clone, export, share, switch on and off, delete. */
import { useState } from "react";
import { useCanCreate } from "../../app/permissions";
import { navigate } from "../../app/route";
import { useTeamMutation } from "../../app/teamMutation";
import { escapeBidi } from "../../text/hiddenCharacters";
import { exportUrl, teams, type TeamEntry, type TeamStatus } from "../../wire/teams";
import { FormDialog } from "../components/Dialog";
import { ErrorNotice } from "../components/ErrorNotice";
import { Icon, IconButton, type IconName } from "../components/Icon";
import { ShareDialog } from "./ShareDialog";
import { useTeamsWords } from "./words";

/** Returns whether I can change the team. */
export function canEdit({ right }: TeamEntry): boolean {
  return right === "edit";
}

/** Returns whether I can execute the team. */
export function canExecute(team: TeamEntry): boolean {
  return canEdit(team) || team.right === "execute";
}

const statusIcons: Record<TeamStatus, IconName> = {
  created: "check",
  active: "check",
  inactive: "pause",
  error: "warning",
};

/** Maximum number of names that a status lists. */
const MAX_NAMES = 5;

function namesOf(missing: string[]): string {
  const names = missing.slice(0, MAX_NAMES).map(escapeBidi).join(", ");
  return missing.length > MAX_NAMES ? `${names}, …` : names;
}

/** Status of a team: an icon and a word, and the names of models and tools that no longer exist. */
export function TeamStatusTag({ team: { status, missing_references: missing } }: { team: TeamEntry }) {
  const words = useTeamsWords();
  return (
    <>
      <span className={`tag team-status ${status}`} title={words.statusMeans[status]} data-status={status}>
        <Icon name={statusIcons[status]} size={11} /> {words.statuses[status]}
      </span>
      {missing && <span data-missing>{words.missing(namesOf(missing))}</span>}
    </>
  );
}

interface Props {
  team: TeamEntry;
  onChanged: () => void;
  onGone: () => void;
}

export function TeamActions({ team, onChanged, onGone }: Props) {
  const words = useTeamsWords().actions;
  const creates = useCanCreate();
  const [open, setOpen] = useState<"share" | "export" | "delete" | null>(null);
  const [status, send] = useTeamMutation();
  const { team_id: id, name } = team;
  const off = team.status === "inactive";
  const clone = () => void send(async () => navigate(`/teams/${(await teams.clone(id)).team_id}`));
  const turn = () =>
    void send(() => teams.setStatus(id, off ? "active" : "inactive")).then((done) => done && onChanged());
  return (
    <>
      <span className="base-acts">
        {creates && <IconButton icon="copy" label={words.clone(name)} busy={status.busy} act={clone} />}
        <IconButton icon="download" label={words.export(name)} act={() => setOpen("export")} />
        {team.manages && <IconButton icon="share" label={words.share(name)} act={() => setOpen("share")} />}
        {team.manages && (
          <IconButton
            icon={off ? "play" : "pause"}
            label={off ? words.activate(name) : words.deactivate(name)}
            busy={status.busy}
            act={turn}
          />
        )}
        {team.manages && <IconButton icon="trash" label={words.remove(name)} act={() => setOpen("delete")} />}
      </span>
      {status.error && <ErrorNotice onDismiss={status.clear}>{status.error}</ErrorNotice>}
      {open === "share" && <ShareDialog team={team} onClose={() => setOpen(null)} />}
      {open === "export" && <ExportDialog team={team} onClose={() => setOpen(null)} />}
      {open === "delete" && <DeleteTeamDialog team={team} onGone={onGone} onClose={() => setOpen(null)} />}
    </>
  );
}

function ExportDialog({ team, onClose }: { team: TeamEntry; onClose: () => void }) {
  const words = useTeamsWords().exporting;
  const [format, setFormat] = useState<"json" | "toml">("json");
  const download = () => {
    const link = document.createElement("a");
    link.href = exportUrl(team.team_id, format);
    link.download = `${team.name}.${format}`;
    link.click();
    onClose();
  };
  return (
    <FormDialog title={words.title} submit={words.download} onSubmit={download} onClose={onClose}>
      <div className="segments" role="radiogroup" aria-label={words.format}>
        {(["json", "toml"] as const).map((one) => (
          <label key={one} className={format === one ? "segment on" : "segment"}>
            <input
              type="radio"
              className="hidden"
              name="export-format"
              checked={format === one}
              onChange={() => setFormat(one)}
            />
            {one.toUpperCase()}
          </label>
        ))}
      </div>
      <p className="soft">{words.means[format]}</p>
    </FormDialog>
  );
}

interface DeleteTeamDialogProps {
  team: TeamEntry;
  onGone: () => void;
  onClose: () => void;
}

/** Confirmation before a team is deleted. If executions are running, it says so and offers to cancel them. */
function DeleteTeamDialog({ team, onGone, onClose }: DeleteTeamDialogProps) {
  const words = useTeamsWords().deletion;
  const [status, send] = useTeamMutation();
  const [cancels, setCancels] = useState(false);
  // Once mine are cancelled, executions of others may still block the deletion; then the server says so.
  const offers = status.code === "TEAM_BUSY" && !cancels;
  const remove = async () => {
    if (offers) setCancels(true);
    if (!(await send(() => teams.remove(team.team_id, offers || cancels)))) return;
    onClose();
    onGone();
  };
  return (
    <FormDialog
      title={words.title(team.name)}
      submit={offers || cancels ? words.cancelAndDelete : words.yes}
      cancel={words.no}
      danger
      status={offers ? { busy: status.busy, error: null } : status}
      onSubmit={() => void remove()}
      onClose={onClose}
    >
      <p>{words.text}</p>
      {offers && <ErrorNotice>{words.busy}</ErrorNotice>}
    </FormDialog>
  );
}
