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
import { useTexts } from "../../i18n/locale";
import { useTeamsTexts } from "../../i18n/teams.en";

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

/** Maximum number of missing models and tools that a status lists. */
const MAX_NAMES = 5;

function namesOf(missing: string[], comma: string): string {
  const names = missing.slice(0, MAX_NAMES).map(escapeBidi).join(comma);
  return missing.length > MAX_NAMES ? `${names}${comma}…` : names;
}

/** Status of a team: an icon and a word, and the names of models and tools that no longer exist. */
export function TeamStatusTag({ team: { status, missing_references: missing } }: { team: TeamEntry }) {
  const texts = useTeamsTexts();
  const { comma } = useTexts().common;
  return (
    <>
      <span className={`tag team-status ${status}`} title={texts.statusMeans[status]} data-status={status}>
        <Icon name={statusIcons[status]} size={11} /> {texts.statuses[status]}
      </span>
      {missing && <span data-missing>{texts.missing(namesOf(missing, comma))}</span>}
    </>
  );
}

interface Props {
  team: TeamEntry;
  onChanged: () => void;
  onDeleted: () => void;
}

export function TeamActions({ team, onChanged, onDeleted }: Props) {
  const texts = useTeamsTexts().actions;
  const creates = useCanCreate();
  const [open, setOpen] = useState<"share" | "export" | "delete" | null>(null);
  const [status, send] = useTeamMutation();
  const { team_id: id, name } = team;
  const isInactive = team.status === "inactive";
  const clone = () => void send(async () => navigate(`/teams/${(await teams.clone(id)).team_id}`));
  const turn = () =>
    void send(() => teams.setStatus(id, isInactive ? "active" : "inactive")).then(
      (done) => done && onChanged(),
    );
  return (
    <>
      <span className="base-acts">
        {creates && <IconButton icon="copy" label={texts.clone(name)} busy={status.busy} onClick={clone} />}
        <IconButton icon="download" label={texts.export(name)} onClick={() => setOpen("export")} />
        {team.manages && (
          <IconButton icon="share" label={texts.share(name)} onClick={() => setOpen("share")} />
        )}
        {team.manages && (
          <IconButton
            icon={isInactive ? "play" : "pause"}
            label={isInactive ? texts.activate(name) : texts.deactivate(name)}
            busy={status.busy}
            onClick={turn}
          />
        )}
        {team.manages && (
          <IconButton icon="trash" label={texts.remove(name)} onClick={() => setOpen("delete")} />
        )}
      </span>
      {status.error && <ErrorNotice onDismiss={status.clear}>{status.error}</ErrorNotice>}
      {open === "share" && <ShareDialog team={team} onClose={() => setOpen(null)} />}
      {open === "export" && <ExportDialog team={team} onClose={() => setOpen(null)} />}
      {open === "delete" && (
        <DeleteTeamDialog team={team} onDeleted={onDeleted} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

function ExportDialog({ team, onClose }: { team: TeamEntry; onClose: () => void }) {
  const texts = useTeamsTexts().exporting;
  const [format, setFormat] = useState<"json" | "toml">("json");
  const download = () => {
    const link = document.createElement("a");
    link.href = exportUrl(team.team_id, format);
    link.download = `${team.name}.${format}`;
    link.click();
    onClose();
  };
  return (
    <FormDialog title={texts.title} submit={texts.download} onSubmit={download} onClose={onClose}>
      <div className="segments" role="radiogroup" aria-label={texts.format}>
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
      <p className="soft">{texts.means[format]}</p>
    </FormDialog>
  );
}

interface DeleteTeamDialogProps {
  team: TeamEntry;
  onDeleted: () => void;
  onClose: () => void;
}

/**
 * Confirmation before a team is deleted. If executions are running, the dialog says so and offers to cancel
 * them.
 */
function DeleteTeamDialog({ team, onDeleted, onClose }: DeleteTeamDialogProps) {
  const texts = useTeamsTexts().deletion;
  const [status, send] = useTeamMutation();
  const [cancels, setCancels] = useState(false);
  // After mine are cancelled, other people's executions can still block the deletion. The server then reports
  // that.
  const offers = status.code === "TEAM_BUSY" && !cancels;
  const remove = async () => {
    if (offers) setCancels(true);
    if (!(await send(() => teams.remove(team.team_id, offers || cancels)))) return;
    onClose();
    onDeleted();
  };
  return (
    <FormDialog
      title={texts.title(team.name)}
      submit={offers || cancels ? texts.cancelAndDelete : texts.yes}
      cancel={texts.no}
      danger
      status={offers ? { busy: status.busy, error: null } : status}
      onSubmit={() => void remove()}
      onClose={onClose}
    >
      <p>{texts.text}</p>
      {offers && <ErrorNotice>{texts.busy}</ErrorNotice>}
    </FormDialog>
  );
}
