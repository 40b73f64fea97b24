/** What the palette offers, given what may be done now. */
import type { SessionId } from "../../protocol";
import {
  isActive,
  hasRight,
  canDecide,
  canInterrupt,
  canLeave,
  canPause,
  openGate,
  controlsInFlight,
} from "../../state/selectors";
import { useApp, useClient, useLive, useMe, useSession } from "../../app/hooks";
import { useNotifications } from "../../app/notifications";
import { navigate } from "../../app/route";
import { useRetryRun } from "../../app/useRetryRun";
import { useTheme } from "../../app/theme";
import { useCanCreate } from "../../app/useBegins";
import { useLocale } from "../../i18n/locale";
import { focusComposer } from "../composer/focusComposer";
import { focusApprove } from "../gates/focus";
import { actionLabels } from "../gates/gateText";
import { keyName } from "../components/KeyHint";
import type { PaletteCommand } from "./CommandPalette";

interface Given {
  session: SessionId | null;
  onNew: () => void;
  onHelp: () => void;
  onInvite: () => void;
  onPanel: () => void;
  onCancel: () => void;
  onLeave: () => void;
}

export function usePaletteCommands({
  session,
  onNew,
  onHelp,
  onInvite,
  onPanel,
  onCancel,
  onLeave,
}: Given): PaletteCommand[] {
  const { locale, words, setLocale } = useLocale();
  const [theme, setTheme] = useTheme();
  const [notices, turnNotices] = useNotifications();
  const client = useClient();
  const me = useMe();
  const begins = useCanCreate();
  const administers = useApp((app) => app.standing === "admin");
  const live = useLive();
  const now = useSession(session ?? "", (state) => ({
    says: hasRight(state, "say"),
    pauses: canPause(state),
    stops: canInterrupt(state),
    ends: isActive(state) && hasRight(state, "control") && !controlsInFlight(state).includes("cancel"),
    leaves: canLeave(state, me),
    paused: state.run?.phase === "paused",
    invites: hasRight(state, "invite"),
    gate: openGate(state),
  }));
  const decides = useSession(session ?? "", (state) => {
    const gate = openGate(state);
    return !!gate && gate.allow.includes("approve") && canDecide(state, gate, me);
  });
  const again = useRetryRun(session);
  const acts: (PaletteCommand | false)[] = [
    begins && { name: words.sidebar.fresh, icon: "plus", keys: keyName("n"), act: onNew },
    !!session &&
      now.says && { name: words.composer.label, icon: "pencil", keys: keyName("e"), act: focusComposer },
    !!session &&
      live &&
      decides &&
      !!now.gate && {
        name: actionLabels(now.gate, words).approve,
        icon: "check",
        keys: keyName("a"),
        // It leads there, to what is decided on.
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
