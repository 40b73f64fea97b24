/** The three regions: sessions, conversation and panel. A phone shows one region at a time. */
import { type ReactNode, useEffect, useLayoutEffect, useState } from "react";
import type { Role, SessionId } from "../../protocol";
import { canSend } from "../../state/participants";
import {
  useClient,
  useMedia,
  useSession,
  ParticipantColorsContext,
  useParticipantColors,
} from "../../app/hooks";
import { useShortcuts } from "../../app/shortcuts";
import { readStorage, writeStorage } from "../../app/storage";
import { useScrollTarget } from "../../app/viewState";
import { navigate, type SignedInRoute } from "../../app/route";
import { useRetryRun } from "../run/RetryButton";
import { useCanCreate } from "../../app/permissions";
import type { Texts } from "../../i18n/en";
import { useTexts } from "../../i18n/locale";
import { CancelDialog } from "../run/ControlBar";
import { FilePreview } from "../files/FilePreview";
import { OtherUnsentApprovals } from "../gates/Approval";
import { PassagePreview } from "../knowledge/DocumentView";
import { LeaveDialog } from "../settings/LeaveSession";
import { onDemand } from "../components/onDemand";
import { HomePage } from "../pages/HomePage";
import { SessionPage, SessionProblem } from "../pages/SessionPage";
import { Panel } from "../panel/Panel";
import { Sidebar } from "../sidebar/Sidebar";
import { RegionPage, MobileNav, type Region } from "./MobileNav";
import { DemoBanner } from "./DemoBanner";
import { NewSessionDialog } from "./NewSessionDialog";
import { CommandPalette, usePaletteCommands } from "./CommandPalette";
import { useGateNotifications, useDocumentTitle } from "./gateNotifications";

/** Returns the frame of a page while it is loading, with its landmark and heading. */
function pageFrame(title: (texts: Texts) => string) {
  return function PageFrame({ children }: { children: ReactNode }) {
    return (
      <main className="middle" id="conversation" tabIndex={-1}>
        <h1 className="hidden">{title(useTexts())}</h1>
        {children}
      </main>
    );
  };
}

const TeamsPage = onDemand(
  () => import("../teams/TeamsPage").then((part) => part.TeamsPage),
  pageFrame((texts) => texts.teams.title),
);
const KnowledgePage = onDemand(
  () => import("../pages/KnowledgePage").then((part) => part.KnowledgePage),
  pageFrame((texts) => texts.knowledge.title),
);
const AdminPage = onDemand(
  () => import("../pages/AdminPage").then((part) => part.AdminPage),
  pageFrame((texts) => texts.admin.title),
);

const HelpDialog = onDemand(() => import("./HelpDialog").then((part) => part.HelpDialog));
const InviteDialog = onDemand(() => import("../settings/InviteDialog").then((part) => part.InviteDialog));

type OpenDialog =
  | { kind: "new"; bases?: string[] }
  | { kind: "help" }
  | { kind: "palette" }
  | { kind: "cancel" | "leave" | "invite"; of: SessionId | null; role?: Role };

/**
 * Returns whether the panel is open initially. In a wide window, it is as the user left it. In a narrow
 * window, it would cover the conversation, so it opens only on request.
 */
function opensPanel(wide: boolean): boolean {
  return wide && (readStorage<boolean>("panel") ?? true);
}

export function Shell({ route }: { route: SignedInRoute }) {
  const requested = route.page === "session" ? route.session : null;
  const texts = useTexts();
  const client = useClient();
  const problem = useSession(requested ?? "", (state) => state.problem);
  const session = problem ? null : requested;
  const generation = useSession(session ?? "", (state) => state.generation);
  const wide = useMedia("(min-width: 1100px)");
  const phone = useMedia("(max-width: 759px)");
  const [panel, setPanel] = useState(() => opensPanel(wide));
  const [region, setRegion] = useState<Region>("conversation");
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const canCreate = useCanCreate();
  const canInvite = useSession(session ?? "", (state) => canSend(state, "invite"));
  const title = useSession(session ?? "", (state) => state.title);
  const close = () => setOpen(null);
  const [pickCount, setPickCount] = useState(0);
  const createSession = () => canCreate && setOpen({ kind: "new" });
  const togglePanel = () => {
    if (phone) setRegion(region === "people" ? "conversation" : "people");
    else {
      if (wide) writeStorage("panel", !panel);
      setPanel(!panel);
    }
  };

  // Selecting a conversation moves the focus there, so that the next key applies to it and not to the list.
  useLayoutEffect(() => {
    if (pickCount > 0) document.getElementById("conversation")?.focus({ preventScroll: true });
  }, [pickCount]);
  useEffect(() => client.openSession(requested), [client, requested]);
  useEffect(() => setPanel(opensPanel(wide)), [wide]);
  // A dialog of one session must not stay open when another session is shown.
  useEffect(() => setOpen((open) => (open && "of" in open && open.of !== session ? null : open)), [session]);
  useEffect(() => setRegion(route.page === "home" ? "sessions" : "conversation"), [route]);
  // The scroll target is in the conversation, which the panel might cover.
  const scrollTarget = useScrollTarget();
  useEffect(() => {
    if (!scrollTarget) return;
    setRegion("conversation");
    if (!wide) setPanel(false);
  }, [scrollTarget, wide]);
  const pages: Partial<Record<SignedInRoute["page"], string>> = {
    admin: texts.admin.title,
    knowledge: texts.knowledge.title,
    teams: texts.teams.title,
  };
  useDocumentTitle(pages[route.page] ?? (session && title ? title : null));
  useGateNotifications();
  const retryRun = useRetryRun(session);
  useShortcuts({
    "Alt+n": createSession,
    "Alt+b": () => navigate("/knowledge"),
    "Alt+m": () => navigate("/teams"),
    "Alt+t": () => retryRun?.(),
    "Alt+h": () => setOpen({ kind: "help" }),
    "Ctrl+k": () => setOpen({ kind: "palette" }),
  });
  const commands = usePaletteCommands({
    session,
    onNew: createSession,
    onHelp: () => setOpen({ kind: "help" }),
    onInvite: () => setOpen({ kind: "invite", of: session }),
    onPanel: togglePanel,
    onCancel: () => setOpen({ kind: "cancel", of: session }),
    onLeave: () => setOpen({ kind: "leave", of: session }),
  });

  const shown = phone ? region : null;
  const colors = useParticipantColors(session);
  return (
    <ParticipantColorsContext value={colors}>
      <a className="skip" href="#conversation">
        {texts.common.skip}
      </a>
      <DemoBanner />
      <OtherUnsentApprovals
        shown={shown === null || shown === "conversation" ? session : null}
        onPick={() => setRegion("conversation")}
      />
      <div className={`shell${panel && session ? " with-panel" : ""}`}>
        {(shown === null || shown === "sessions") && (
          <RegionPage alone={shown !== null} title={texts.header.sessions}>
            <Sidebar
              current={session}
              page={route.page}
              onNew={createSession}
              onSearch={() => setRegion("sessions")}
              onPick={() => {
                setRegion("conversation");
                setPickCount((n) => n + 1);
              }}
            />
          </RegionPage>
        )}
        {(shown === null || shown === "conversation") &&
          (session ? (
            // The key discards all state of the previous session: text, open questions, an unfinished title.
            <SessionPage
              key={session}
              session={session}
              graph={route.page === "session" && route.graph}
              panel={panel}
              onPanel={togglePanel}
              onHelp={() => setOpen({ kind: "help" })}
            />
          ) : route.page === "teams" ? (
            <TeamsPage view={route.view} onHelp={() => setOpen({ kind: "help" })} />
          ) : route.page === "knowledge" ? (
            <KnowledgePage
              id={route.base}
              onUse={(base) => setOpen({ kind: "new", bases: [String(base.id)] })}
              onHelp={() => setOpen({ kind: "help" })}
            />
          ) : route.page === "admin" ? (
            <AdminPage onHelp={() => setOpen({ kind: "help" })} />
          ) : problem ? (
            <SessionProblem
              key={requested}
              session={requested}
              problem={problem}
              onHelp={() => setOpen({ kind: "help" })}
            />
          ) : (
            <HomePage onNew={createSession} onHelp={() => setOpen({ kind: "help" })} />
          ))}
        {session && (shown === "people" || (shown === null && panel)) && (
          <RegionPage alone={shown !== null} title={texts.panel.label}>
            <Panel
              key={`panel ${session} ${generation}`}
              alone={shown !== null}
              session={session}
              onInvite={() => setOpen({ kind: "invite", of: session })}
            />
          </RegionPage>
        )}
      </div>
      <PassagePreview key={generation} />
      {session && <FilePreview key={`${session} ${generation}`} session={session} />}
      {phone && <MobileNav region={region} session={session} page={route.page} onRegion={setRegion} />}
      {open?.kind === "new" && (
        <NewSessionDialog
          initialBases={open.bases}
          onClose={close}
          onInvite={(of, role) => setOpen({ kind: "invite", of, role })}
        />
      )}
      {open?.kind === "help" && <HelpDialog onClose={close} />}
      {open?.kind === "palette" && <CommandPalette commands={commands} onClose={close} />}
      {session && open && "of" in open && open.of === session && (
        <>
          {open.kind === "cancel" && <CancelDialog session={session} onClose={close} />}
          {open.kind === "leave" && <LeaveDialog session={session} onClose={close} />}
          {open.kind === "invite" && (canInvite || open.role) && (
            <InviteDialog session={session} role={open.role} onClose={close} />
          )}
        </>
      )}
    </ParticipantColorsContext>
  );
}
