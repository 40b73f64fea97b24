/** Command palette: finds commands and sessions by a few letters. */
import { useState } from "react";
import { useApp, useClient, useLive, useMe, useSession } from "../../app/hooks";
import { isComposing } from "../../app/shortcuts";
import { navigate } from "../../app/route";
import { useFormat, useTexts, useLocale } from "../../i18n/locale";
import type { SessionEntry } from "../../wire/rest";
import { Dialog } from "../components/Dialog";
import { Icon, type IconName } from "../components/Icon";
import { duplicateTitles } from "../sidebar/Sidebar";
import type { SessionId } from "../../protocol";
import { isActive, canInterrupt, canPause, controlsInFlight } from "../../state/runSelectors";
import { topologyOf } from "../../state/nodeWork";
import { useExecutionAddress } from "../../app/executionAddress";
import { canLeave, canSend, canWrite } from "../../state/participants";
import { canApprove, openGate } from "../../state/gateSelectors";
import { useNotifications } from "../../app/notifications";
import { useRetryRun } from "../run/RetryButton";
import { useTheme } from "../../app/theme";
import { useCanCreate } from "../../app/permissions";
import { focusComposer } from "../composer/focusComposer";
import { focusApprove } from "../gates/focus";
import { actionLabels } from "../gates/gateText";
import { keyName } from "../components/KeyHint";

/** Command in the palette. */
interface PaletteCommand {
  name: string;
  icon: IconName;
  keys?: string;
  run: () => void;
}

const MAX_RESULTS = 16;
const LIST = "palette-list";

/** Command palette: finds commands and sessions by a few letters. */
export function CommandPalette({ commands, onClose }: { commands: PaletteCommand[]; onClose: () => void }) {
  const texts = useTexts();
  const format = useFormat();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const sessions = useApp((app) => app.list) ?? [];
  const duplicates = duplicateTitles(sessions);
  const apart = ({ summary, updated_at: at }: SessionEntry) =>
    [summary?.team, at && format.preciseOrMinute(at)].filter(Boolean).join(" · ");
  const query = text.trim().toLowerCase();
  const all: PaletteCommand[] = [
    ...commands,
    ...sessions.map((entry) => ({
      name: entry.title || texts.sidebar.untitled,
      icon: "chat" as const,
      keys: duplicates.has(entry.title ?? "") ? apart(entry) : texts.palette.session,
      run: () => navigate(`/s/${entry.session}`),
    })),
  ];
  const found = all.filter((one) => fits(one.name.toLowerCase(), query)).slice(0, MAX_RESULTS);
  const active = Math.min(chosen, found.length - 1);
  const run = (one: PaletteCommand | undefined) => {
    if (!one) return;
    onClose();
    one.run();
  };
  return (
    <Dialog title={texts.palette.title} onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={LIST}
        aria-activedescendant={found.length > 0 ? `${LIST}-${active}` : undefined}
        aria-label={texts.palette.placeholder}
        placeholder={texts.palette.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (isComposing(event.nativeEvent)) return;
          if (event.key === "ArrowDown") setChosen((active + 1) % found.length);
          else if (event.key === "ArrowUp") setChosen((active - 1 + found.length) % found.length);
          else if (event.key === "Enter") run(found[active]);
          else return;
          event.preventDefault();
        }}
      />
      <ul className="palette" id={LIST} role="listbox" aria-label={texts.palette.title}>
        {found.map((one, i) => (
          // The text field keeps the focus and handles the keyboard.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={i}
            id={`${LIST}-${i}`}
            role="option"
            aria-selected={i === active}
            tabIndex={-1}
            onClick={() => run(one)}
          >
            <Icon name={one.icon} size={14} />
            <span>{one.name}</span>
            {one.keys && <kbd>{one.keys}</kbd>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="soft pad">{texts.palette.nothing}</p>}
    </Dialog>
  );
}

/** Returns whether the name contains all letters of the query in order. */
function fits(name: string, query: string): boolean {
  let at = 0;
  for (const letter of query) {
    at = name.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

interface PaletteContext {
  session: SessionId | null;
  onNew: () => void;
  onHelp: () => void;
  onInvite: () => void;
  onPanel: () => void;
  onCancel: () => void;
  onLeave: () => void;
}

/** Returns the commands that are available now. */
export function usePaletteCommands({
  session,
  onNew,
  onHelp,
  onInvite,
  onPanel,
  onCancel,
  onLeave,
}: PaletteContext): PaletteCommand[] {
  const { locale, texts, setLocale } = useLocale();
  const [theme, setTheme] = useTheme();
  const [notices, turnNotices] = useNotifications();
  const client = useClient();
  const me = useMe();
  const canCreate = useCanCreate();
  const administers = useApp((app) => app.serverRole === "admin");
  const live = useLive();
  const now = useSession(session ?? "", (state) => ({
    says: canWrite(state),
    pauses: canPause(state),
    stops: canInterrupt(state),
    ends: isActive(state) && canSend(state, "interrupt") && !controlsInFlight(state).includes("cancel"),
    leaves: canLeave(state, me),
    paused: state.run?.phase === "paused",
    invites: canSend(state, "invite"),
    gate: openGate(state),
    topology: topologyOf(state.team) !== null,
  }));
  const decides = useSession(session ?? "", (state) => {
    const gate = openGate(state);
    return !!gate && canApprove(state, gate, me);
  });
  const again = useRetryRun(session);
  const execution = useExecutionAddress(session ?? "");
  const commands: (PaletteCommand | false)[] = [
    canCreate && { name: texts.sidebar.fresh, icon: "plus", keys: keyName("n"), run: onNew },
    !!session &&
      now.says && { name: texts.composer.label, icon: "pencil", keys: keyName("e"), run: focusComposer },
    !!session &&
      live &&
      decides &&
      !!now.gate && {
        name: actionLabels(now.gate, texts).approve,
        icon: "check",
        keys: keyName("a"),
        // Setting the focus also scrolls to the subject of the decision.
        run: () => requestAnimationFrame(focusApprove),
      },
    !!session &&
      live &&
      now.pauses &&
      (now.paused
        ? { name: texts.control.resume, icon: "play", run: () => client.resume(session) }
        : { name: texts.control.pause, icon: "pause", run: () => client.pause(session) }),
    !!session &&
      live &&
      now.stops && {
        name: texts.control.interrupt,
        icon: "stop",
        keys: "Esc",
        run: () => client.interrupt(session),
      },
    !!again && { name: texts.control.again, icon: "undo", keys: keyName("t"), run: again },
    !!session && live && now.ends && { name: texts.control.cancel, icon: "ban", run: onCancel },
    !!session && now.invites && { name: texts.invite.title, icon: "link", run: onInvite },
    !!session && { name: texts.panel.label, icon: "sidebar", run: onPanel },
    !!session && now.leaves && { name: texts.manage.leave.name, icon: "leave", run: onLeave },
    { name: texts.knowledge.title, icon: "book", keys: keyName("b"), run: () => navigate("/knowledge") },
    { name: texts.teams.title, icon: "graph", keys: keyName("m"), run: () => navigate("/teams") },
    canCreate && { name: texts.teams.fresh, icon: "plus", run: () => navigate("/teams/new") },
    !!session &&
      now.topology && {
        name: texts.teams.graph,
        icon: "graph",
        keys: keyName("g"),
        run: () => navigate(`/s/${session}/graph`),
      },
    !!session &&
      !!execution && { name: texts.teams.execution, icon: "clock", run: () => navigate(execution) },
    administers && { name: texts.admin.title, icon: "lock", run: () => navigate("/admin") },
    {
      name: `${texts.header.language}${texts.common.colon}${locale === "en" ? "中文" : "English"}`,
      icon: "language",
      run: () => setLocale(locale === "en" ? "zh" : "en"),
    },
    {
      name: `${texts.header.theme}${texts.common.colon}${texts.header.themes[theme === "dark" ? "light" : "dark"]}`,
      icon: theme === "dark" ? "sun" : "moon",
      run: () => setTheme(theme === "dark" ? "light" : "dark"),
    },
    (notices === "on" || notices === "off") && {
      name: notices === "on" ? texts.help.noNotices : texts.help.notify,
      icon: "bell",
      run: turnNotices,
    },
    { name: texts.help.title, icon: "keyboard", keys: keyName("h"), run: onHelp },
  ];
  return commands.filter((command): command is PaletteCommand => command !== false);
}
