/** The three regions: sessions, conversation, panel. On a phone, one at a time. */
import { type ReactNode, useEffect, useLayoutEffect, useState } from "react";
import type { Role, SessionId } from "../../protocol";
import { hasRight } from "../../state/participants";
import { useClient, useMedia, useSession, HuesContext, useHues } from "../../app/hooks";
import { useShortcuts } from "../../app/shortcuts";
import { readStorage, writeStorage } from "../../app/storage";
import { useScrollTarget } from "../../app/viewState";
import { navigate, type SignedInRoute } from "../../app/route";
import { useRetryRun } from "../run/RetryButton";
import { useCanCreate } from "../../app/permissions";
import type { Words } from "../../i18n/en";
import { useWords } from "../../i18n/locale";
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
function pageFrame(title: (words: Words) => string) {
  return function PageFrame({ children }: { children: ReactNode }) {
    return (
      <main className="middle" id="conversation" tabIndex={-1}>
        <h1 className="hidden">{title(useWords())}</h1>
        {children}
      </main>
    );
  };
}

const TeamsPage = onDemand(
  () => import("../teams/TeamsPage").then((part) => part.TeamsPage),
  pageFrame((words) => words.teams.title),
);
const KnowledgePage = onDemand(
  () => import("../pages/KnowledgePage").then((part) => part.KnowledgePage),
  pageFrame((words) => words.knowledge.title),
);
const AdminPage = onDemand(
  () => import("../pages/AdminPage").then((part) => part.AdminPage),
  pageFrame((words) => words.admin.title),
);

const HelpDialog = onDemand(() => import("./HelpDialog").then((part) => part.HelpDialog));
const InviteDialog = onDemand(() => import("../settings/InviteDialog").then((part) => part.InviteDialog));

type Open =
  | { what: "new"; given?: string[] }
  | { what: "help" }
  | { what: "palette" }
  | { what: "cancel" | "leave" | "invite"; of: SessionId | null; role?: Role };

/**
 * Next to the conversation, the panel stays as the user left it. If it would cover the conversation, it opens only on
 * request.
 */
function opensPanel(wide: boolean): boolean {
  return wide && (readStorage<boolean>("panel") ?? true);
}

export function Shell({ place }: { place: SignedInRoute }) {
  const asked = place.page === "session" ? place.session : null;
  const words = useWords();
  const client = useClient();
  const problem = useSession(asked ?? "", (state) => state.problem);
  const session = problem ? null : asked;
  const generation = useSession(session ?? "", (state) => state.generation);
  const wide = useMedia("(min-width: 1100px)");
  const phone = useMedia("(max-width: 759px)");
  const [panel, setPanel] = useState(() => opensPanel(wide));
  const [region, setRegion] = useState<Region>("conversation");
  const [open, setOpen] = useState<Open | null>(null);
  const canCreate = useCanCreate();
  const invites = useSession(session ?? "", (state) => hasRight(state, "invite"));
  const title = useSession(session ?? "", (state) => state.title);
  const close = () => setOpen(null);
  const [picks, setPicks] = useState(0);
  const createSession = () => canCreate && setOpen({ what: "new" });
  const togglePanel = () => {
    if (phone) setRegion(region === "people" ? "conversation" : "people");
    else {
      if (wide) writeStorage("panel", !panel);
      setPanel(!panel);
    }
  };

  // Selecting a conversation moves the focus there, so that the next key applies to it and not to the list.
  useLayoutEffect(() => {
    if (picks > 0) document.getElementById("conversation")?.focus({ preventScroll: true });
  }, [picks]);
  useEffect(() => client.openSession(asked), [client, asked]);
  useEffect(() => setPanel(opensPanel(wide)), [wide]);
  // A dialog of one session must not stay open for the next.
  useEffect(() => setOpen((open) => (open && "of" in open && open.of !== session ? null : open)), [session]);
  useEffect(() => setRegion(place.page === "home" ? "sessions" : "conversation"), [place]);
  // The scroll target is in the conversation, which the panel may cover.
  const scrollTarget = useScrollTarget();
  useEffect(() => {
    if (!scrollTarget) return;
    setRegion("conversation");
    if (!wide) setPanel(false);
  }, [scrollTarget, wide]);
  const pages: Partial<Record<SignedInRoute["page"], string>> = {
    admin: words.admin.title,
    knowledge: words.knowledge.title,
    teams: words.teams.title,
  };
  useDocumentTitle(pages[place.page] ?? (session && title ? title : null));
  useGateNotifications();
  const again = useRetryRun(session);
  useShortcuts({
    "Alt+n": createSession,
    "Alt+b": () => navigate("/knowledge"),
    "Alt+m": () => navigate("/teams"),
    "Alt+t": () => again?.(),
    "Alt+h": () => setOpen({ what: "help" }),
    "Ctrl+k": () => setOpen({ what: "palette" }),
  });
  const acts = usePaletteCommands({
    session,
    onNew: createSession,
    onHelp: () => setOpen({ what: "help" }),
    onInvite: () => setOpen({ what: "invite", of: session }),
    onPanel: togglePanel,
    onCancel: () => setOpen({ what: "cancel", of: session }),
    onLeave: () => setOpen({ what: "leave", of: session }),
  });

  const shown = phone ? region : null;
  const hues = useHues(session);
  return (
    <HuesContext value={hues}>
      <a className="skip" href="#conversation">
        {words.common.skip}
      </a>
      <DemoBanner />
      <OtherUnsentApprovals
        shown={shown === null || shown === "conversation" ? session : null}
        onPick={() => setRegion("conversation")}
      />
      <div className={`shell${panel && session ? " with-panel" : ""}`}>
        {(shown === null || shown === "sessions") && (
          <RegionPage alone={shown !== null} title={words.header.sessions}>
            <Sidebar
              current={session}
              page={place.page}
              onNew={createSession}
              onSearch={() => setRegion("sessions")}
              onPick={() => {
                setRegion("conversation");
                setPicks((n) => n + 1);
              }}
            />
          </RegionPage>
        )}
        {(shown === null || shown === "conversation") &&
          (session ? (
            // Nothing of the previous session stays: no text, no open question, no unfinished title.
            <SessionPage
              key={session}
              session={session}
              graph={place.page === "session" && place.graph}
              panel={panel}
              onPanel={togglePanel}
              onHelp={() => setOpen({ what: "help" })}
            />
          ) : place.page === "teams" ? (
            <TeamsPage place={place.view} onHelp={() => setOpen({ what: "help" })} />
          ) : place.page === "knowledge" ? (
            <KnowledgePage
              id={place.base}
              onUse={(base) => setOpen({ what: "new", given: [String(base.id)] })}
              onHelp={() => setOpen({ what: "help" })}
            />
          ) : place.page === "admin" ? (
            <AdminPage onHelp={() => setOpen({ what: "help" })} />
          ) : problem ? (
            <SessionProblem
              key={asked}
              session={asked}
              problem={problem}
              onHelp={() => setOpen({ what: "help" })}
            />
          ) : (
            <HomePage onNew={createSession} onHelp={() => setOpen({ what: "help" })} />
          ))}
        {session && (shown === "people" || (shown === null && panel)) && (
          <RegionPage alone={shown !== null} title={words.panel.label}>
            <Panel
              key={`panel ${session} ${generation}`}
              alone={shown !== null}
              session={session}
              onInvite={() => setOpen({ what: "invite", of: session })}
            />
          </RegionPage>
        )}
      </div>
      <PassagePreview key={generation} />
      {session && <FilePreview key={`${session} ${generation}`} session={session} />}
      {phone && <MobileNav region={region} session={session} page={place.page} onRegion={setRegion} />}
      {open?.what === "new" && (
        <NewSessionDialog
          given={open.given}
          onClose={close}
          onInvite={(of, role) => setOpen({ what: "invite", of, role })}
        />
      )}
      {open?.what === "help" && <HelpDialog onClose={close} />}
      {open?.what === "palette" && <CommandPalette acts={acts} onClose={close} />}
      {session && open && "of" in open && open.of === session && (
        <>
          {open.what === "cancel" && <CancelDialog session={session} onClose={close} />}
          {open.what === "leave" && <LeaveDialog session={session} onClose={close} />}
          {open.what === "invite" && (invites || open.role) && (
            <InviteDialog session={session} role={open.role} onClose={close} />
          )}
        </>
      )}
    </HuesContext>
  );
}
