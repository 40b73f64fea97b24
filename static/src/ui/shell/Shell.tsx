/** The three regions: sessions, conversation, people. On a phone one of them at a time. */
import { useEffect, useLayoutEffect, useState } from "react";
import type { Role, SessionId } from "../../protocol";
import { may } from "../../state/ask";
import { useClient, useMedia, useSession } from "../../app/hooks";
import { useKeys } from "../../app/keys";
import { recall, remember } from "../../app/memory";
import { useRevealed } from "../../app/revealed";
import { go, type Place } from "../../app/route";
import { useAgain } from "../../app/useAgain";
import { HuesContext, useHues } from "../../app/useHues";
import { useBegins } from "../../app/useBegins";
import { useWords } from "../../i18n/locale";
import { CancelDialog } from "../control/CancelDialog";
import { Preview } from "../files/Preview";
import { UnsentElsewhere } from "../gate/Unsent";
import { ShownPassage } from "../knowledge/ShownPassage";
import { LeaveDialog } from "../manage/LeaveDialog";
import { Admin } from "../pages/Admin";
import { Home } from "../pages/Home";
import { Knowledge } from "../pages/Knowledge";
import { Session } from "../pages/Session";
import { Unopened } from "../pages/Unopened";
import { Panel } from "../panel/Panel";
import { Sidebar } from "../sidebar/Sidebar";
import { AsPage } from "./AsPage";
import { DemoBanner } from "./DemoBanner";
import { Help } from "./Help";
import { InviteDialog } from "./InviteDialog";
import { NewSession } from "./NewSession";
import { Palette } from "./Palette";
import { RegionBar, type Region } from "./RegionBar";
import { usePaletteActs } from "./usePaletteActs";
import { useGateNotices } from "./useGateNotices";
import { useTitle } from "./useTitle";

type Open =
  | { what: "new"; given?: string[] }
  | { what: "help" }
  | { what: "palette" }
  | { what: "cancel" | "leave" | "invite"; of: SessionId | null; role?: Role };

/** Where it stands beside the conversation, it stays as it was left. Where it would cover that, it is opened by hand. */
function opensPanel(wide: boolean): boolean {
  return wide && (recall<boolean>("panel") ?? true);
}

export function Shell({ place }: { place: Place }) {
  const asked = place.page === "session" ? place.session : null;
  const words = useWords();
  const client = useClient();
  const problem = useSession(asked ?? "", (state) => state.problem);
  const session = problem ? null : asked;
  const begun = useSession(session ?? "", (state) => state.begun);
  const wide = useMedia("(min-width: 1100px)");
  const phone = useMedia("(max-width: 759px)");
  const [panel, setPanel] = useState(() => opensPanel(wide));
  const [region, setRegion] = useState<Region>("conversation");
  const [open, setOpen] = useState<Open | null>(null);
  const begins = useBegins();
  const invites = useSession(session ?? "", (state) => may(state, "invite"));
  const title = useSession(session ?? "", (state) => state.title);
  const close = () => setOpen(null);
  const [picks, setPicks] = useState(0);
  const begin = () => begins && setOpen({ what: "new" });
  const togglePanel = () => {
    if (phone) setRegion(region === "people" ? "conversation" : "people");
    else {
      if (wide) remember("panel", !panel);
      setPanel(!panel);
    }
  };

  // Whoever chose a conversation is in it: the next key is about that, and no longer about the list.
  useLayoutEffect(() => {
    if (picks > 0) document.getElementById("conversation")?.focus({ preventScroll: true });
  }, [picks]);
  useEffect(() => client.show(asked), [client, asked]);
  useEffect(() => setPanel(opensPanel(wide)), [wide]);
  // What is asked of one session is not asked of the next.
  useEffect(() => setOpen((open) => (open && "of" in open && open.of !== session ? null : open)), [session]);
  useEffect(() => setRegion(place.page === "home" ? "sessions" : "conversation"), [place]);
  // What is asked to be seen stands in the conversation, which the panel may cover.
  const revealed = useRevealed();
  useEffect(() => {
    if (!revealed) return;
    setRegion("conversation");
    if (!wide) setPanel(false);
  }, [revealed, wide]);
  const pages: Partial<Record<Place["page"], string>> = {
    admin: words.admin.title,
    knowledge: words.knowledge.title,
  };
  useTitle(pages[place.page] ?? (session && title ? title : null));
  useGateNotices();
  const again = useAgain(session);
  useKeys({
    "Alt+n": begin,
    "Alt+b": () => go("/knowledge"),
    "Alt+t": () => again?.(),
    "Alt+h": () => setOpen({ what: "help" }),
    "Ctrl+k": () => setOpen({ what: "palette" }),
  });
  const acts = usePaletteActs({
    session,
    onNew: begin,
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
      <UnsentElsewhere
        shown={shown === null || shown === "conversation" ? session : null}
        onPick={() => setRegion("conversation")}
      />
      <div className={`shell${panel && session ? " with-panel" : ""}`}>
        {(shown === null || shown === "sessions") && (
          <AsPage alone={shown !== null} title={words.header.sessions}>
            <Sidebar
              current={session}
              page={place.page}
              onNew={begin}
              onSearch={() => setRegion("sessions")}
              onPick={() => {
                setRegion("conversation");
                setPicks((n) => n + 1);
              }}
            />
          </AsPage>
        )}
        {(shown === null || shown === "conversation") &&
          (session ? (
            // Nothing of the session before stays: no text, no open question, no half-typed title.
            <Session
              key={session}
              session={session}
              panel={panel}
              onPanel={togglePanel}
              onHelp={() => setOpen({ what: "help" })}
            />
          ) : place.page === "knowledge" ? (
            <Knowledge
              id={place.base}
              onUse={(base) => setOpen({ what: "new", given: [String(base.id)] })}
              onHelp={() => setOpen({ what: "help" })}
            />
          ) : place.page === "admin" ? (
            <Admin onHelp={() => setOpen({ what: "help" })} />
          ) : problem ? (
            <Unopened
              key={asked}
              session={asked}
              problem={problem}
              onHelp={() => setOpen({ what: "help" })}
            />
          ) : (
            <Home onNew={begin} onHelp={() => setOpen({ what: "help" })} />
          ))}
        {session && (shown === "people" || (shown === null && panel)) && (
          <AsPage alone={shown !== null} title={words.panel.label}>
            <Panel
              key={`panel ${session} ${begun}`}
              alone={shown !== null}
              session={session}
              onInvite={() => setOpen({ what: "invite", of: session })}
            />
          </AsPage>
        )}
      </div>
      <ShownPassage key={begun} />
      {session && <Preview key={`${session} ${begun}`} session={session} />}
      {phone && (
        <RegionBar
          region={region}
          session={session}
          knowledge={place.page === "knowledge"}
          onRegion={setRegion}
        />
      )}
      {open?.what === "new" && (
        <NewSession
          given={open.given}
          onClose={close}
          onInvite={(of, role) => setOpen({ what: "invite", of, role })}
        />
      )}
      {open?.what === "help" && <Help onClose={close} />}
      {open?.what === "palette" && <Palette acts={acts} onClose={close} />}
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
