/** Command palette: finds commands and sessions by a few letters. */
import { useState } from "react";
import { useApp, useClient, useLive, useMe, useSession } from "../../app/hooks";
import { isComposing } from "../../app/shortcuts";
import { navigate } from "../../app/route";
import { useFormat, useWords, useLocale } from "../../i18n/locale";
import type { SessionEntry } from "../../wire/rest";
import { Dialog } from "../components/Dialog";
import { Icon, type IconName } from "../components/Icon";
import { duplicateTitles } from "../sidebar/Sidebar";
import type { SessionId } from "../../protocol";
import { isActive, canInterrupt, canPause, controlsInFlight } from "../../state/runSelectors";
import { topologyOf } from "../../state/nodeWork";
import { useExecutionAddress } from "../../app/executionAddress";
import { canLeave, canSend, canWrite, hasRight } from "../../state/participants";
import { canApprove, openGate } from "../../state/gateSelectors";
import { useNotifications } from "../../app/notifications";
import { useRetryRun } from "../run/RetryButton";
import { useTheme } from "../../app/theme";
import { useCanCreate } from "../../app/permissions";
import { focusComposer } from "../composer/focusComposer";
import { focusApprove } from "../gates/focus";
import { actionLabels } from "../gates/gateText";
import { keyName } from "../components/KeyHint";

/** Command of the palette. */
interface PaletteCommand {
  name: string;
  icon: IconName;
  keys?: string;
  act: () => void;
}

const MAX_RESULTS = 16;
const LIST = "palette-list";

/** Command palette: finds commands and sessions by a few letters. */
export function CommandPalette({ acts, onClose }: { acts: PaletteCommand[]; onClose: () => void }) {
  const words = useWords();
  const format = useFormat();
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const sessions = useApp((app) => app.list) ?? [];
  const duplicates = duplicateTitles(sessions);
  const apart = ({ summary, updated_at: at }: SessionEntry) =>
    [summary?.team, at && format.exact(at)].filter(Boolean).join(" · ");
  const wanted = text.trim().toLowerCase();
  const all: PaletteCommand[] = [
    ...acts,
    ...sessions.map((entry) => ({
      name: entry.title || words.sidebar.untitled,
      icon: "chat" as const,
      keys: duplicates.has(entry.title ?? "") ? apart(entry) : words.palette.session,
      act: () => navigate(`/s/${entry.session}`),
    })),
  ];
  const found = all.filter((one) => fits(one.name.toLowerCase(), wanted)).slice(0, MAX_RESULTS);
  const active = Math.min(chosen, found.length - 1);
  const run = (one: PaletteCommand | undefined) => {
    if (!one) return;
    onClose();
    one.act();
  };
  return (
    <Dialog title={words.palette.title} onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-expanded="true"
        aria-controls={LIST}
        aria-activedescendant={found.length > 0 ? `${LIST}-${active}` : undefined}
        aria-label={words.palette.placeholder}
        placeholder={words.palette.placeholder}
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
      <ul className="palette" id={LIST} role="listbox" aria-label={words.palette.title}>
        {found.map((one, i) => (
          // The keyboard acts through the text field, which keeps the focus.
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
      {found.length === 0 && <p className="soft pad">{words.palette.nothing}</p>}
    </Dialog>
  );
}

/** Returns whether the name contains all these letters in order. */
function fits(name: string, wanted: string): boolean {
  let at = 0;
  for (const letter of wanted) {
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
  const { locale, words, setLocale } = useLocale();
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
    invites: hasRight(state, "invite"),
    gate: openGate(state),
    topology: topologyOf(state.team) !== null,
  }));
  const decides = useSession(session ?? "", (state) => {
    const gate = openGate(state);
    return !!gate && canApprove(state, gate, me);
  });
  const again = useRetryRun(session);
  const execution = useExecutionAddress(session ?? "");
  const acts: (PaletteCommand | false)[] = [
    canCreate && { name: words.sidebar.fresh, icon: "plus", keys: keyName("n"), act: onNew },
    !!session &&
      now.says && { name: words.composer.label, icon: "pencil", keys: keyName("e"), act: focusComposer },
    !!session &&
      live &&
      decides &&
      !!now.gate && {
        name: actionLabels(now.gate, words).approve,
        icon: "check",
        keys: keyName("a"),
        // It scrolls to the subject of the decision.
        act: () => requestAnimationFrame(focusApprove),
      },
    !!session &&
      live &&
      now.pauses &&
      (now.paused
        ? { name: words.control.resume, icon: "play", act: () => client.resume(session) }
        : { name: words.control.pause, icon: "pause", act: () => client.pause(session) }),
    !!session &&
      live &&
      now.stops && {
        name: words.control.interrupt,
        icon: "stop",
        keys: "Esc",
        act: () => client.interrupt(session),
      },
    !!again && { name: words.control.again, icon: "undo", keys: keyName("t"), act: again },
    !!session && live && now.ends && { name: words.control.cancel, icon: "ban", act: onCancel },
    !!session && now.invites && { name: words.invite.title, icon: "link", act: onInvite },
    !!session && { name: words.panel.label, icon: "sidebar", act: onPanel },
    !!session && now.leaves && { name: words.manage.leave.name, icon: "leave", act: onLeave },
    { name: words.knowledge.title, icon: "book", keys: keyName("b"), act: () => navigate("/knowledge") },
    { name: words.teams.title, icon: "graph", keys: keyName("m"), act: () => navigate("/teams") },
    canCreate && { name: words.teams.fresh, icon: "plus", act: () => navigate("/teams/new") },
    !!session &&
      now.topology && {
        name: words.teams.graph,
        icon: "graph",
        keys: keyName("g"),
        act: () => navigate(`/s/${session}/graph`),
      },
    !!session &&
      !!execution && { name: words.teams.execution, icon: "clock", act: () => navigate(execution) },
    administers && { name: words.admin.title, icon: "lock", act: () => navigate("/admin") },
    {
      name: `${words.header.language}: ${locale === "en" ? "中文" : "English"}`,
      icon: "language",
      act: () => setLocale(locale === "en" ? "zh" : "en"),
    },
    {
      name: `${words.header.theme}: ${words.header.themes[theme === "dark" ? "light" : "dark"]}`,
      icon: theme === "dark" ? "sun" : "moon",
      act: () => setTheme(theme === "dark" ? "light" : "dark"),
    },
    (notices === "on" || notices === "off") && {
      name: notices === "on" ? words.help.noNotices : words.help.notify,
      icon: "bell",
      act: turnNotices,
    },
    { name: words.help.title, icon: "keyboard", keys: keyName("h"), act: onHelp },
  ];
  return acts.filter((act): act is PaletteCommand => act !== false);
}
